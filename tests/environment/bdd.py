"""Which BDD back end a run of the tests is on: the one that the product chooses."""

from engine.provenance import bdd


def back_end() -> str:
    """`dd.cudd`, or `dd.autoref` where there is no wheel of it or SMARTCIS_BDD asks."""
    return f"dd.{bdd.back_end()}"
