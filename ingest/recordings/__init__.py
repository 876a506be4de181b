"""What came, as a file, and again as if it came.

file        a recording: a line of JSON an entry
recorder    what goes into one: what stood when it began, then each entry as the log gets it
pacing      which entries mean something elsewhere, and when each falls due
replaying   a recording in place of everything that fed the log
"""
