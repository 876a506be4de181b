"""``smartcis agent``: a machine tells a broker how it is; the options are those of ``ingest.agent``."""

import sys

import click


@click.command(add_help_option=False, context_settings={"ignore_unknown_options": True})
@click.argument("options", nargs=-1, type=click.UNPROCESSED)
def agent(options: tuple[str, ...]) -> None:
    """Tell a broker how this machine is, until Ctrl-C; it is discovered without configuration."""
    from ingest.agent.command import main

    sys.exit(main(options))
