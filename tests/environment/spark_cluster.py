"""A standalone Spark master with workers, each a process of its own on this machine, ended with the test."""

import os
import subprocess
import sys
from contextlib import ExitStack, suppress
from pathlib import Path

import psutil

from tests.environment.waiting import free_port, listens, until

EXECUTOR = "CoarseGrainedExecutorBackend"


class SparkCluster:
    """``with SparkCluster(folder, workers=2, cores=1) as cluster: … cluster.url``."""

    def __init__(self, folder: Path, workers: int = 1, cores: int = 2) -> None:
        self._folder, self._cores = folder, cores
        self._stack = ExitStack()
        self._count = workers
        self.workers: list[psutil.Process] = []

    def __enter__(self) -> "SparkCluster":
        port = free_port()
        self._spawn(
            "master.Master", "--host", "127.0.0.1", "--port", str(port), "--webui-port", str(free_port())
        )
        until(lambda: listens(port), 30, "the Spark master to listen")
        self.url = f"spark://127.0.0.1:{port}"
        for _ in range(self._count):
            self.add_worker()
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def add_worker(self) -> None:
        port = free_port()
        places = ["--host", "127.0.0.1", "--port", str(port), "--webui-port", str(free_port())]
        process = self._spawn(
            "worker.Worker", *places, "--cores", str(self._cores), "--memory", "2g", self.url
        )
        until(lambda: listens(port), 30, "a Spark worker to listen")
        self.workers.append(psutil.Process(process.pid))

    def lose_worker(self, worker: psutil.Process) -> None:
        """Kill a worker with all that it runs, as when its machine is gone."""
        self.workers.remove(worker)
        for process in [worker, *worker.children(True)]:
            with suppress(psutil.NoSuchProcess):
                process.kill()
        worker.wait(30)

    def executors(self) -> list[psutil.Process]:
        """Return the executors that run, of whatever application."""
        below = [child for worker in self.workers if worker.is_running() for child in worker.children(True)]
        return [process for process in below if any(EXECUTOR in word for word in words_of(process))]

    def _spawn(self, role: str, *arguments: str) -> "subprocess.Popen[bytes]":
        folder = Path(sys.executable).parent  # spark-class finds its home by the python3 on the PATH
        program, path = folder / "spark-class", f"{folder}{os.pathsep}{os.environ['PATH']}"
        environment = {**os.environ, "PATH": path, "SPARK_WORKER_DIR": str(self._folder / "work")}
        process = subprocess.Popen(
            [program, f"org.apache.spark.deploy.{role}", *arguments],
            env=environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        self._stack.callback(ended, process)
        return process


def words_of(process: psutil.Process) -> list[str]:
    try:
        return process.cmdline()
    except psutil.Error:
        return []


def ended(process: "subprocess.Popen[bytes]") -> None:
    process.terminate()
    process.wait(120)
