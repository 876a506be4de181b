"""Who was promised a target that is taken, or that no way leads to any more, is sent to another."""

import threading

import structlog

from app.ways.holding import Holding
from engine.model.errors import SmartCISError
from engine.service import Engine
from engine.views.view import Delta

LOOK_SECONDS = 5.0
VIEW = "lost_holds"

logger = structlog.get_logger()


class Moving:
    """Looks on a thread of its own, whenever a target is lost."""

    def __init__(self, engine: Engine, holding: Holding) -> None:
        self._engine, self._holding = engine, holding
        self._lost, self._ending = threading.Event(), threading.Event()
        self._thread = threading.Thread(target=self._serve, name="moving", daemon=True)

    def start(self) -> None:
        try:
            self._engine.listen(VIEW, self._heard)
        except SmartCISError as error:
            logger.info("nothing is held in this building", reason=error.message)
            return
        self._thread.start()

    def stop(self) -> None:
        self._ending.set()
        self._lost.set()
        if self._thread.is_alive():
            self._thread.join(timeout=5)

    def _heard(self, _change: Delta) -> None:
        self._lost.set()

    def _serve(self) -> None:
        while not self._ending.is_set():
            self._lost.wait(LOOK_SECONDS)
            self._lost.clear()
            while not self._ending.is_set() and self._moves():
                continue

    def _moves(self) -> bool:
        try:
            return self._holding.move_lost()
        except SmartCISError as error:
            logger.warning("a hold cannot be moved", error=error.message)
            return False
