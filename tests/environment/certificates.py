"""An authority of a test's own, and the certificates that it gives."""

import shutil
import subprocess
from pathlib import Path

from tests.environment.absence import lacking

KIND = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]


class Authority:
    """Signs for 127.0.0.1 and for named clients; everything lies in one folder."""

    def __init__(self, folder: Path, name: str = "authority") -> None:
        self.folder, self.name = folder, name
        self._program = shutil.which("openssl") or lacking("openssl", "sudo apt-get install openssl")
        self.certificate = folder / f"{name}.pem"
        self._run("req", "-x509", *KIND, "-subj", f"/CN={name}", "-days", "2", *self._files(name))

    def give(self, name: str) -> tuple[Path, Path]:
        """Return a certificate and its key."""
        given, signed = self._files(name), ["-CA", self.certificate, "-CAkey", self._key(self.name)]
        alternative = "subjectAltName=IP:127.0.0.1"
        self._run("req", "-x509", *KIND, "-subj", f"/CN={name}", "-addext", alternative, *signed, *given)
        return self.folder / f"{name}.pem", self._key(name)

    def _key(self, name: str) -> Path:
        return self.folder / f"{name}.key"

    def _files(self, name: str) -> list[str | Path]:
        return ["-out", self.folder / f"{name}.pem", "-keyout", self._key(name)]

    def _run(self, *arguments: str | Path) -> None:
        subprocess.run([self._program, *arguments], check=True, capture_output=True)
