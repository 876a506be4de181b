"""Which BDD back end a run of the tests is on."""

import importlib.util
import os


def back_end() -> str:
    """`dd.cudd`, or `dd.autoref` where there is no wheel of it or SMARTCIS_BDD asks."""
    forced = os.environ.get("SMARTCIS_BDD")
    if forced:
        return f"dd.{forced}"
    return "dd.cudd" if importlib.util.find_spec("dd.cudd") else "dd.autoref"
