"""What an .ics file says, as occurrences in UTC.

text         bytes → lines: marks, encodings, folding, names of time zones
zones        what a time zone's name means: IANA's, Windows', a vendor's, the file's own
parsing      lines → events, by UID, each fit to be expanded or told as a problem
lengths      how long an event takes, in whole days and exact time
budget       a bound on the work that a rule may cause
occurrences  events → occurrences between two moments
rooms        what a LOCATION says → our rooms
turns        what is reserved, before and now → starts and ends

The rules of recurrence are recurring-ical-events', never ours; what it gets wrong is mended before it is
asked, or after, and a golden file in ``tests/golden/calendars`` holds each case.

References:
    RFC 5545 (iCalendar), with its errata; 3.3.5 for local times that are twice or never, 3.8.5.3 for the
    length of what recurs.
"""
