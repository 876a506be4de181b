"""The production server: gunicorn as a library, one worker, many threads.

    this process (arbiter) ─fork→ worker: factory() → start, serve … stop

A WebSocket holds a thread for as long as it is open, so there are more threads than sockets. There is
one worker, since sockets, engine and views live in it; the arbiter starts another if it dies. The factory
runs in the worker, behind the fork: no thread, no JVM, no open database crosses it.

Ctrl-C and SIGTERM end in the same way: the listening socket closes, ``stop`` ends streams and sockets,
the worker leaves. If the arbiter is killed, the worker sees that its parent changed within a second and
leaves too.
"""

import logging
import os
import signal
import socket
import sys
from collections.abc import Callable, Iterable
from threading import Lock, Thread
from types import FrameType
from typing import Any, NamedTuple

from gunicorn.app.base import BaseApplication  # type: ignore[import-untyped]
from gunicorn.arbiter import Arbiter  # type: ignore[import-untyped]
from gunicorn.workers.gthread import ThreadWorker  # type: ignore[import-untyped]

from app.ports import port_holder, port_is_taken
from app.tls import Certificate
from engine.model.errors import SmartCISError, SourceError

# 120 sockets, 100 queries that are followed, and those who come and go.
THREADS = 260
GRACE_SECONDS = 20
LINGER_SECONDS = 3
UNSENT_BYTES = 16_384
BOOT_FAILED = Arbiter.WORKER_BOOT_ERROR

Wsgi = Callable[[dict[str, Any], Callable[..., Any]], Iterable[bytes]]


class Served(NamedTuple):
    """What a factory returns: the WSGI application, and what ends everything behind it."""

    app: Wsgi
    stop: Callable[[], None]


Factory = Callable[[], Served]


class SocketWorker(ThreadWorker):  # type: ignore[misc]
    """A threaded worker that ends its sockets when told to go, and never waits for a browser to."""

    alive: bool
    booted: bool

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Stop accepting, and end what holds threads; what is still starting is left."""
        if self.alive and not self.booted:
            self.alive = False
            sys.exit(0)
        if self.alive:
            self._end_connections()
        super().handle_exit(sig, frame)

    handle_quit = handle_exit

    def is_parent_alive(self) -> bool:
        """Tell whether the arbiter lives; the worker ends without it."""
        alive = bool(super().is_parent_alive())
        if not alive:
            self._end_connections()
        return alive

    def _end_connections(self) -> None:
        """Stop beside the loop, which meanwhile answers what was asked before."""
        self.cfg.set("graceful_timeout", LINGER_SECONDS)
        Thread(target=self.app.stop, name="stop", daemon=True).start()

    def init_signals(self) -> None:
        """Leave a closed terminal to the arbiter, which ends us in order."""
        super().init_signals()
        signal.signal(signal.SIGHUP, signal.SIG_IGN)


class SocketArbiter(Arbiter):  # type: ignore[misc]
    """An arbiter for which a closed terminal is the end, unless it was started to outlive it (nohup)."""

    def init_signals(self) -> None:
        """Keep ignoring SIGHUP where whoever started us said so."""
        outlives = signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
        super().init_signals()
        if outlives:
            signal.signal(signal.SIGHUP, signal.SIG_IGN)

    def handle_hup(self) -> None:
        """Stop; there is nothing to reload."""
        self.handle_term()


class Server(BaseApplication):  # type: ignore[misc]
    """Gunicorn, configured here alone: no file and no environment variable of its own is read."""

    def __init__(self, factory: Factory, settings: dict[str, Any]) -> None:
        self._factory, self._settings = factory, settings
        self._served: Served | None = None
        self._stopping = Lock()
        super().__init__()

    def run(self) -> None:
        """Serve until told to stop."""
        SocketArbiter(self).run()

    def load_config(self) -> None:
        """Take our settings."""
        for name, value in self._settings.items():
            self.cfg.set(name, value)

    def load(self) -> Wsgi:
        """Build what is served; called in the worker."""
        try:
            self._served = self._factory()
        except SmartCISError as error:
            sys.stderr.write(f"{error.message}\n")
            sys.exit(BOOT_FAILED)
        return self._served.app

    def stop(self) -> None:
        """End what is behind the application; whoever comes second waits for the first."""
        with self._stopping:
            served, self._served = self._served, None
            if served is not None:
                served.stop()


def check_port(host: str, port: int, variable: str = "SMARTCIS_PORT") -> None:
    """Raise who holds the port, if it is taken."""
    if port_is_taken(host, port):
        holder = port_holder(port)
        by = f" by {holder}" if holder else ""
        problem = f"port {port} on {host} is taken{by}; stop it, or set {variable} to another port"
        raise SourceError(problem)


def serve(
    factory: Factory, host: str, port: int, threads: int = THREADS, certificate: Certificate | None = None
) -> None:
    """Serve until told to stop; does not return before the worker is gone."""
    check_port(host, port)
    address = f"[{host.strip('[]')}]:{port}" if ":" in host else f"{host}:{port}"
    settings = {
        "bind": address,
        "workers": 1,
        "threads": threads,
        "worker_class": SocketWorker,
        "worker_connections": threads + 200,
        "timeout": 0,
        "graceful_timeout": GRACE_SECONDS,
        "keepalive": 5,
        "loglevel": "warning",
        "control_socket_disable": True,
        "when_ready": keep_little_unsent,
        "worker_exit": _leave,
        "proc_name": "smartcis",
        "forwarded_allow_ips": "",  # whom to believe is app.proxies' affair
    }
    if certificate is not None:
        settings |= {"certfile": str(certificate.chain), "keyfile": str(certificate.key)}
    logging.getLogger("gunicorn.error").addFilter(_is_news)
    Server(factory, settings).run()


def keep_little_unsent(arbiter: Arbiter) -> None:
    """Have what a slow browser has not taken wait with us, where it is seen, and not unseen in the kernel."""
    option = getattr(socket, "TCP_NOTSENT_LOWAT", None)
    if option is None:
        return
    for listener in arbiter.LISTENERS:  # what is accepted there inherits it
        listener.sock.setsockopt(socket.IPPROTO_TCP, option, UNSENT_BYTES)


def _is_news(record: logging.LogRecord) -> bool:
    """Drop what gunicorn adds to a failed boot, of which one line was told already."""
    text = record.getMessage()
    told = ("Worker failed to boot", "Shutting down: Master", f"exited with code {BOOT_FAILED}")
    return not any(part in text for part in told)


def _leave(_arbiter: Arbiter, worker: ThreadWorker) -> None:
    """End the worker here: the interpreter's own end would join threads that wait for a browser."""
    if worker.pid != os.getpid():
        return  # the arbiter calls this too, for a worker it finds gone
    worker.app.stop()
    ending = sys.exc_info()[1]
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(ending.code if isinstance(ending, SystemExit) and isinstance(ending.code, int) else 0)
