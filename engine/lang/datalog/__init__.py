"""Datalog in Soufflé's syntax, bound to the same logical plans as StreamSQL.

text ─grammar→ tree ─normal→ simple rules ─kinds, safety→ typed rules ─strata, bodies→ logical plans
"""

from engine.lang.datalog.compiled import Compiled, bind_program, classify, compile_program
from engine.lang.datalog.syntax import parse

__all__ = ["Compiled", "bind_program", "classify", "compile_program", "parse"]
