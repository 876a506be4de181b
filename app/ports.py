"""Ports: is one taken, by whom, and which one is free."""

import socket

import psutil


def port_is_taken(host: str, port: int) -> bool:
    """Tell whether a server could not listen there, by trying to."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family) as trial:
        trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            trial.bind((host.strip("[]"), port))
        except OSError:
            return True
    return False


def port_holder(port: int) -> str | None:
    """Return who listens on the port, as ``pid 123 (name)``, or None where that cannot be known."""
    try:
        listening = [
            found
            for found in psutil.net_connections(kind="tcp")
            if found.status == psutil.CONN_LISTEN and found.laddr and found.laddr.port == port and found.pid
        ]
        return f"pid {listening[0].pid} ({psutil.Process(listening[0].pid).name()})" if listening else None
    except (psutil.Error, PermissionError):
        return None


def free_port(host: str = "127.0.0.1") -> int:
    """Return a port that was free a moment ago."""
    with socket.socket() as trial:
        trial.bind((host, 0))
        return int(trial.getsockname()[1])
