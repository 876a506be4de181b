"""How a child process learns that its parent is gone: its stdin ends.

The parent starts the child with ``stdin=PIPE`` and keeps the write end; the kernel closes it when the
parent ends in any way, ``kill -9`` included.
"""

import os
import signal
import stat
import sys
import threading


def end_with_parent() -> None:
    """Send this process SIGTERM once its stdin ends.

    A terminal or a file as stdin, as when someone starts the module by hand, is no lifeline.
    """
    fd = sys.stdin.fileno() if sys.stdin is not None else -1
    if fd < 0 or not _is_pipe(fd):
        return

    def watch() -> None:
        while os.read(fd, 4096):
            continue
        os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=watch, name="lifeline", daemon=True).start()


def _is_pipe(fd: int) -> bool:

    return stat.S_ISFIFO(os.fstat(fd).st_mode)
