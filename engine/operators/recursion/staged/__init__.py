"""XY-stratified strata: derivations are counted, and stages are settled one after the other."""

from engine.operators.recursion.staged.stages import Stages

__all__ = ["Stages"]
