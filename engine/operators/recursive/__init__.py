"""The general form of recursion: any rules, one derivation kept for each fact."""

from engine.operators.recursive.stratum import Stratum

__all__ = ["Stratum"]
