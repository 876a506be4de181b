"""The JVM: one per process, quiet, gone when we are.

It is started with its output in a file and with a pipe as its standard input, which it ends on; so
it ends when this process does, however that ends. Ctrl-C is ours: neither the JVM nor pyspark's
handler sees it.
"""

import atexit
import contextlib
import logging
import os
import shutil
import signal
import sys
import threading
from subprocess import TimeoutExpired
from typing import Any

from pyspark import SparkConf, SparkContext
from pyspark.java_gateway import launch_gateway
from pyspark.sql import SparkSession

from engine.spark.settings import SparkSettings

STOP_SECONDS = 5.0

_lock = threading.RLock()


def open_spark(settings: SparkSettings) -> SparkSession:
    """Return the process's session; start its JVM if there is none."""
    with _lock:
        running = SparkSession._instantiatedSession
        if running is not None and _is_alive(running):
            return running
        close_spark()
        shutil.rmtree(settings.folder / "local", ignore_errors=True)  # what a killed JVM left
        settings.folder.mkdir(parents=True, exist_ok=True)
        (settings.folder / "log4j2.properties").write_text(settings.log4j(), encoding="utf-8")
        os.environ["PYSPARK_PYTHON"] = sys.executable
        conf = SparkConf(loadDefaults=False).setAll(list(settings.conf().items()))
        with _own_interrupts(), (settings.folder / "jvm.out").open("wb") as output:
            gateway = launch_gateway(conf, {"stdout": output, "stderr": output})
            SparkContext._ensure_initialized(gateway=gateway, conf=conf)
            session = SparkSession.builder.config(conf=conf).getOrCreate()
        _hush(session)
        return session


@atexit.register
def close_spark() -> None:
    """End the session and its JVM, whatever state they are in."""
    with _lock:
        gateway: Any = SparkContext._gateway
        if gateway is None:
            return
        SparkContext._gateway = SparkContext._jvm = SparkContext._active_spark_context = None
        SparkSession._instantiatedSession = None
        with contextlib.suppress(Exception):
            gateway.shutdown()
        gateway.proc.stdin.close()
        try:
            gateway.proc.wait(STOP_SECONDS)
        except TimeoutExpired:
            gateway.proc.kill()
            gateway.proc.wait()


def _is_alive(session: SparkSession) -> bool:
    """Tell whether a session's JVM runs and its context was not stopped, as losing a cluster does."""
    gateway: Any = SparkContext._gateway
    if gateway is None or gateway.proc.poll() is not None:
        return False
    try:
        return not session.sparkContext._jsc.sc().isStopped()
    except Exception:
        return False


def _hush(session: SparkSession) -> None:
    """Keep what a dying JVM makes pyspark say off the terminal; the feed says it in a line."""
    logging.getLogger("py4j").setLevel(logging.CRITICAL)
    logging.getLogger().addFilter(_is_ours)  # py4j tells a lost connection to the root logger
    session.sparkContext._accumulatorServer.handle_error = lambda *_: None  # type: ignore[method-assign]


def _is_ours(record: logging.LogRecord) -> bool:
    return not str(record.msg).startswith("Exception while sending command")


class _own_interrupts(contextlib.ContextDecorator):
    """Keeps the process's own SIGINT handler, which pyspark replaces from the main thread."""

    def __enter__(self) -> None:
        self._handler = signal.getsignal(signal.SIGINT)

    def __exit__(self, *_: object) -> None:
        if threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGINT, self._handler)
