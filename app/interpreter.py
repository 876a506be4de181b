"""How the interpreter is set where answers are due within a fraction of a second.

A thread that computes, as when a segment of the past is packed, keeps each of the others waiting for a switch
interval whenever they want to go on. A tick wants that two dozen times, once for each word with the JVM.
"""

import gc
import sys

SWITCH_SECONDS = 0.0005  # a tenth of what Python has by itself


def share() -> None:
    """Have threads give way sooner."""
    sys.setswitchinterval(SWITCH_SECONDS)


def keep() -> None:
    """Say that what there is stays: the collector, which stops all threads, looks only at what came since."""
    gc.collect()
    gc.freeze()
