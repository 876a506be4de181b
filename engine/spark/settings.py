"""How Spark runs, and what each setting is for."""

import os
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

LOG4J = """\
rootLogger.level = {level}
rootLogger.appenderRef.file.ref = file
appender.file.type = RollingFile
appender.file.name = file
appender.file.fileName = {folder}/spark.log
appender.file.filePattern = {folder}/spark.%i.log
appender.file.layout.type = PatternLayout
appender.file.layout.pattern = %d %p %c{{1}}: %m%n%ex
appender.file.policies.type = SizeBasedTriggeringPolicy
appender.file.policies.size = 2MB
appender.file.strategy.type = DefaultRolloverStrategy
appender.file.strategy.max = 1
"""

# Spark copies a list column before it looks at its NULLs, which Arrow refuses unless told not to look.
ARROW_OPTIONS = ("-Darrow.enable_null_check_for_get=false", "-Darrow.enable_unsafe_memory_access=true")

# Small batches for ever: less heap, fewer JVM threads, no second guess by the optimizer.
JVM_OPTIONS = (
    "-Xss8m",  # a deep plan overflows the default stack
    "-XX:+UseSerialGC",
    "-Xms96m",
    "-XX:TieredStopAtLevel=1",  # C2 never stops compiling Catalyst's code, and is half of the CPU
    *ARROW_OPTIONS,
)

TUNING = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    # What a user interface would show is kept and written even without one: as little as can be.
    "spark.ui.liveUpdate.period": "-1",
    "spark.ui.retainedJobs": "10",
    "spark.ui.retainedStages": "10",
    "spark.ui.retainedTasks": "10",
    "spark.sql.ui.retainedExecutions": "10",
    "spark.sql.ui.explainMode": "simple",
    "spark.sql.maxPlanStringLength": "100",
    "spark.sql.debug.maxToStringFields": "1",
    "spark.python.authenticate.socketTimeout": "120s",  # a busy machine starts a process slowly
    "spark.serializer": "org.apache.spark.serializer.KryoSerializer",  # of rows that were read ahead
    "spark.broadcast.compress": "false",
    "spark.broadcast.checksum": "false",
    "spark.sql.shuffle.partitions": "1",
    "spark.sql.adaptive.enabled": "false",
    # Interpreting a few rows is cheaper than generating and compiling code for them.
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.ansi.enabled": "false",  # an overflow is NULL, not the end of the feed
    # The default manager forks chmod four times a batch.
    "spark.sql.streaming.checkpointFileManagerClass": (
        "org.apache.spark.sql.execution.streaming.checkpointing.FileSystemBasedCheckpointFileManager"
    ),
    "spark.sql.streaming.minBatchesToRetain": "2",
    "spark.sql.streaming.numRecentProgressUpdates": "1",
    "spark.sql.streaming.noDataMicroBatches.enabled": "false",
}

LOCAL = {
    "spark.driver.bindAddress": "127.0.0.1",
    # The processes that plan end at once, and would each leave a daemon of 50 MB behind. Executors
    # need daemons: their workers are reused.
    "spark.python.use.daemon": "false",
}

CLUSTER = {
    # Executors log to their worker's disk, each task a dozen lines unless told not to.
    "spark.executor.logs.rolling.strategy": "size",
    "spark.executor.logs.rolling.maxSize": "2097152",
    "spark.executor.logs.rolling.maxRetainedFiles": "2",
    "spark.executor.syncLogLevel.enabled": "true",
}

# Shares of partitioned views live beside an executor's Python daemon, and a task finds them there only.
PARTITIONED = {
    "spark.python.use.daemon": "true",
    "spark.python.unix.domain.socket.enabled": "true",
    # A share that works for longer keeps the next task waiting; a task that is meant for an executor which is
    # lost while its job begins waits for all of it.
    "spark.locality.wait": "30s",
    "spark.shuffle.reduceLocality.enabled": "false",
}

# Offsets are ours, so Spark's own log of them may lag behind. The option that overrides the check
# whether a sink bears that is needed because Spark cannot know it of ``foreachBatch``.
QUERY_OPTIONS = {
    "asyncProgressTrackingEnabled": "true",
    "asyncProgressTrackingCheckpointIntervalMs": "2000",
    "_asyncProgressTrackingOverrideSinkSupportCheck": "true",
}


@dataclass(frozen=True, slots=True)
class SparkSettings:
    """Where Spark runs and keeps its files; ``state`` is the folder of all state.

    Views that outgrow the driver are cut into so many ``partitions``; with none they may not.
    """

    state: Path
    master: str = "local[2]"
    driver_host: str = "127.0.0.1"
    memory: str = "512m"
    log_level: str = "error"
    cluster_ranges: int = 2
    partitions: int = 0

    @property
    def folder(self) -> Path:
        return self.state.resolve() / "spark"

    @property
    def is_local(self) -> bool:
        return self.master.startswith("local")

    @property
    def ranges(self) -> int:
        """Into how many pieces executors divide a tick's reading; none: it is read beside the driver."""
        return 0 if self.is_local else self.cluster_ranges

    def conf(self) -> dict[str, str]:
        """Return the whole configuration of the session."""
        options = (*JVM_OPTIONS, f"-Dlog4j2.configurationFile={self.folder}/log4j2.properties")
        inherited = filter(None, [os.environ.get("PYTHONPATH")])
        placed = {
            "spark.master": self.master,
            "spark.app.name": "smartcis",
            "spark.log.level": self.log_level.upper(),
            "spark.driver.host": self.driver_host,
            "spark.driver.memory": self.memory,
            "spark.driver.extraJavaOptions": " ".join(options),
            "spark.executor.memory": self.memory,
            "spark.executor.extraJavaOptions": " ".join(JVM_OPTIONS),
            "spark.local.dir": str(self.folder / "local"),
            "spark.sql.warehouse.dir": str(self.folder / "warehouse"),
            "spark.executorEnv.PYTHONPATH": os.pathsep.join((str(ROOT), *inherited)),
        }
        shares = PARTITIONED if self.partitions else {}
        return {**TUNING, **placed, **(LOCAL if self.is_local else CLUSTER), **shares}

    def log4j(self) -> str:
        """Return the logging configuration: one small file in the state folder, no terminal."""
        return LOG4J.format(folder=self.folder, level=self.log_level)
