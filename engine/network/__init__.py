"""The message-level engine: a program over logical sites that send each other rows, all of it counted."""
