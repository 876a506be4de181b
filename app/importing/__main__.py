"""`python -m app.importing import FILE …`: the commands without the rest of the command line."""

from app.importing.command import building

building()
