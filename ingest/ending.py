"""How a process is told to end: SIGTERM and Ctrl-C, at any moment.

Python runs a signal's handler on the main thread, between any two of its steps. What a handler needs may
then be held by the step that it interrupts: ``Event.wait`` holds for a moment the lock that ``Event.set``
takes, and the process would wait for itself for ever. So what is to be done is done on a thread of its own.
"""

import signal
from _thread import start_new_thread  # Thread.start takes locks as well
from collections.abc import Callable

ENDS = (signal.SIGTERM, signal.SIGINT)


def when_told_to_end(act: Callable[[], object]) -> None:
    """Have each signal that asks the process to end call this."""

    def told(*_: object) -> None:
        start_new_thread(act, ())

    for number in ENDS:
        signal.signal(number, told)
