"""A Mosquitto of one's own, which can be stopped and started again on its port with its persisted state."""

import os
import pwd
import shutil
import signal
import subprocess
from pathlib import Path

from tests.environment.absence import lacking
from tests.environment.waiting import free_port, listens, until

# max_inflight and max_queued are Mosquitto's limits, not ours: 0 lifts them, so that a test sees our own.
CONFIGURATION = """
listener {port} 127.0.0.1
set_tcp_nodelay true
allow_anonymous true
persistence true
persistence_location {folder}/
autosave_interval 1
max_inflight_messages 0
max_queued_messages 0
user {user}
"""


def command() -> str:
    """The mosquitto program; skips the test where there is none."""
    sbin = os.pathsep.join([os.environ.get("PATH", ""), "/usr/sbin", "/usr/local/sbin"])
    return shutil.which("mosquitto", path=sbin) or lacking("mosquitto", "sudo apt-get install mosquitto")


class Mosquitto:
    """A broker process."""

    def __init__(self, folder: Path, *more: str) -> None:
        self.port = free_port()
        self.folder = folder
        self.url = f"mqtt://127.0.0.1:{self.port}"
        self.process: subprocess.Popen[bytes] | None = None
        user = pwd.getpwuid(os.geteuid()).pw_name
        text = CONFIGURATION.format(port=self.port, folder=folder, user=user)
        (folder / "mosquitto.conf").write_text(text + "".join(f"{line}\n" for line in more))

    def start(self) -> None:
        """Starts the broker and returns when it accepts connections."""
        configuration = self.folder / "mosquitto.conf"
        with (self.folder / "mosquitto.log").open("ab") as log:
            self.process = subprocess.Popen([command(), "-c", configuration], stdout=log, stderr=log)
        until(lambda: listens(self.port), 10, f"mosquitto on port {self.port}")

    def stop(self) -> None:
        """Ends the broker as an operator would: it saves its state."""
        self._end(signal.SIGTERM)

    def kill(self) -> None:
        """Ends the broker as a power cut would."""
        self._end(signal.SIGKILL)

    def _end(self, how: signal.Signals) -> None:
        if self.process is not None:
            self.process.send_signal(how)
            self.process.wait(120)
            self.process = None
