"""Looking after what is kept: the log's commands, and a copy of everything in one file.

log_command   smartcis log verify | export | compact
backup        smartcis backup, smartcis restore
archive       the one file: what is in it, and how a copy is taken of a database that is being written
"""
