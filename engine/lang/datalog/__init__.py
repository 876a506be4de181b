"""Datalog in Soufflé's syntax, bound to the same logical plans as StreamSQL.

text ─grammar→ tree ─normal→ simple rules ─kinds, safety→ typed rules ─strata, bodies→ logical plans
"""

from engine.lang.datalog.compiled import Bound, Compiled, bind_program, bound, classify, compile_program
from engine.lang.datalog.syntax import parse

__all__ = ["Bound", "Compiled", "bind_program", "bound", "classify", "compile_program", "parse"]
