"""The general form: any rules, one derivation kept for each fact."""

from engine.operators.recursion.rules.stratum import Stratum

__all__ = ["Stratum"]
