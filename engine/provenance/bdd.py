"""The BDD back end: ``dd.cudd`` in its wheel, ``dd.autoref`` where no wheel of it exists.

Both keep their nodes canonical under one variable order and count references by the wrapped node.
cudd's own reordering is off: it would run whenever cudd likes; ``ordering`` says when it is asked for.
A manager starts small, because every recursive view, and every logical site, has one of its own.

References:
    Somenzi. CUDD: CU Decision Diagram Package. University of Colorado.
    Bryant. Graph-Based Algorithms for Boolean Function Manipulation. IEEE Trans. Computers 1986.
"""

import importlib
import importlib.util
import os
from typing import Any

from engine.model.errors import InternalError

Node = Any
BACK_ENDS = ("cudd", "autoref")
FEW_MEGABYTES = 2**24
FEW_SLOTS = 2**12


def back_end() -> str:
    """Return which one this process uses; ``SMARTCIS_BDD`` forces one."""
    forced = os.environ.get("SMARTCIS_BDD")
    if forced and forced not in BACK_ENDS:
        message = f"SMARTCIS_BDD must be cudd or autoref, found {forced}"
        raise InternalError(message)
    return forced or ("cudd" if importlib.util.find_spec("dd.cudd") else "autoref")


def module() -> Any:
    """Return the back end's module."""
    return importlib.import_module(f"dd.{back_end()}")


def new_manager(*, sifts: bool = False) -> Any:
    """Return a manager without variables; ``sifts`` lets cudd reorder by itself."""
    is_cudd = back_end() == "cudd"
    made = (
        module().BDD(memory_estimate=FEW_MEGABYTES, initial_cache_size=FEW_SLOTS)
        if is_cudd
        else module().BDD()
    )
    made.configure(reordering=sifts)
    return made
