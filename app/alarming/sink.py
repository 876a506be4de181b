"""From the rows of views to alarms: what stands is what the rule of each output makes of them.

    rows, counted by key   ─came, went→   Life(rule)   ─raised, ended→   store   ─→   tell

Runs on the router's thread, which asks four times a second what became due. What stood before this run is
taken over, so a start raises nothing twice: a key that was there is the same alarm since the same time.
"""

import json
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import structlog

from app import present
from app.alarming.life import Life, Seen, Turn
from app.alarming.rule import Rule, rule_of
from app.alarming.store import Alarm, AlarmStore, Named, Written
from app.facade import Delta, Snapshot
from app.routes import Route
from engine.model.clock import SECOND, Clock
from engine.model.errors import SmartCISError
from engine.model.relation import Column
from engine.model.values import Row

MOST_WHYS = 20  # of what a tick raises; a flood is not explained row by row

log = structlog.get_logger(__name__)

Explain = Callable[[str, Row], Any]


@dataclass
class Watched:
    """One output: its rule, its rows by key as people see them, and the numbers of its alarms."""

    rule: Rule
    columns: tuple[Column, ...]
    life: Life
    rows: dict[str, Counter[Row]] = field(default_factory=dict)
    held: dict[str, int] = field(default_factory=dict)
    attended: int = 0

    def key_of(self, row: Row) -> str:
        return as_text(self.columns, row, self.rule.key)

    def seen(self, keys: Iterable[str]) -> dict[str, Seen]:
        """Return what the rows of these keys mean for their alarms."""
        return {key: self._seen(self.rows.get(key, ())) for key in keys}

    def _seen(self, rows: Collection[Row]) -> Seen:
        if not rows:
            return Seen.NONE
        if not self.rule.raised_by:
            return Seen.RAISES
        place = [column.name for column in self.columns].index(self.rule.raised_by)
        return Seen.RAISES if any(row[place] is True for row in rows) else Seen.KEEPS

    def text_of(self, key: str) -> str:
        """Return the row of a key; of several the first in the order of their texts."""
        return min(as_text(self.columns, row) for row in self.rows[key])

    def fold(self, rows: Iterable[tuple[Row, int]]) -> set[str]:
        """Count rows; return the keys that they touch."""
        touched = set()
        for row, count in rows:
            key = self.key_of(row)
            touched.add(key)
            counts = self.rows.setdefault(key, Counter())
            counts[row] += count
            if not counts[row]:
                del counts[row]
            if not counts:
                del self.rows[key]
        return touched


class Alarms:
    """The sink of alarms, and what people ask of them; ``tell`` hears of each that changes."""

    def __init__(
        self,
        store: AlarmStore,
        clock: Clock,
        tell: Callable[[Alarm], None] = lambda _: None,
        explain: Explain = lambda _view, _row: None,
    ) -> None:
        self.store, self._clock, self._tell, self._explain = store, clock, tell, explain
        self._before = store.standing()
        self._watched: dict[Named, Watched] = {}

    def close(self) -> None:
        self.store.close()

    def count(self) -> int:
        """Return how many alarms stand."""
        return sum(len(of) for of in self._before.values()) + sum(len(w.held) for w in self._watched.values())

    def tell(self, alarm: Alarm) -> Alarm:
        """Have whoever looks at alarms hear of one that a person changed."""
        self._tell(alarm)
        return alarm

    # The sink

    def hold(self, route: Route, state: Snapshot) -> None:
        of = named(route)
        watched = self._watched.get(of)
        if watched is None:
            watched = self._watched[of] = self._begin(of, route, state.columns)
        watched.rows = {}
        watched.fold(state.rows)
        turns = watched.life.hold(watched.seen(watched.rows), state.at)
        self._write(of, watched, turns, set(watched.rows))

    def change(self, route: Route, change: Delta) -> None:
        of = named(route)
        watched = self._watched[of]
        touched = watched.fold(change.changes)
        self._write(of, watched, watched.life.change(watched.seen(touched), change.at), touched)

    def end(self, route: Route) -> None:
        self._end_all(named(route))

    def settle(self, routes: set[Route]) -> None:
        for gone in self._before.keys() - {named(route) for route in routes}:
            self._end_all(gone)

    def turn(self) -> bool:
        """Raise, end and escalate what became due."""
        now = self._clock.now()
        is_behind = False
        for of, watched in list(self._watched.items()):
            try:
                self._write(of, watched, watched.life.settle(now), set())
                self._attend(of, watched, now)
            except Exception as error:
                log.warning("alarms are tried again", view=of.view, reason=str(error))
                is_behind = True
        return is_behind

    def _attend(self, of: Named, watched: Watched, now: int) -> None:
        """See once a second to who has to be told."""
        is_told = watched.rule.notify or watched.rule.escalate
        if is_told and watched.held and now - watched.attended >= SECOND:
            watched.attended = now
            for found in self.store.of(self.store.attend(of, watched.rule, now)):
                self._tell(found)

    def _begin(self, of: Named, route: Route, columns: tuple[Column, ...]) -> Watched:
        rule = rule_of(route.output.options, columns)
        watched = Watched(rule, columns, Life(rule))
        self._before.pop(of, None)
        for key, (identity, since) in self.store.standing().get(of, {}).items():
            watched.life.resume(key, since)
            watched.held[key] = identity
        return watched

    def _end_all(self, of: Named) -> None:
        watched = self._watched.pop(of, None)
        before = {key: identity for key, (identity, _) in self._before.pop(of, {}).items()}
        held, rule = (watched.held, watched.rule) if watched else (before, Rule())
        now = self._clock.now()
        self.store.write(of, rule, held, Written(ended=[Turn(key, False, now) for key in sorted(held)]))
        for found in self.store.of(held.values()):
            self._tell(found)

    def _write(self, of: Named, watched: Watched, turns: Sequence[Turn], touched: set[str]) -> None:
        """Keep what began, changed and ended, then tell; what could not be kept is begun anew."""
        try:
            news = self._keep(of, watched, turns, touched)
        except Exception:
            self._watched.pop(of, None)
            raise
        for found in self.store.of(news):
            self._tell(found)

    def _keep(self, of: Named, watched: Watched, turns: Sequence[Turn], touched: set[str]) -> dict[int, None]:
        """Keep it, and return the numbers of what is other than before."""
        changed = self._changed(watched, touched - {turn.key for turn in turns})
        news: dict[int, None] = {}
        for some in one_of_a_key(turns) or ([[]] if changed else []):
            # What was raised and ended since the last turn has no row any more; its key is told.
            raised = {turn.key: (self._row(watched, turn.key), turn) for turn in some if turn.is_raised}
            ended = [turn for turn in some if not turn.is_raised]
            made = self.store.write(of, watched.rule, watched.held, Written(raised, ended, changed))
            news |= dict.fromkeys(watched.held[key] for key in changed)
            news |= dict.fromkeys(watched.held.pop(turn.key) for turn in ended if turn.key in watched.held)
            news |= dict.fromkeys(made.values())
            watched.held |= made
            changed = {}
            self._keep_whys(of, watched, made)
        return news

    def _row(self, watched: Watched, key: str) -> str:
        return watched.text_of(key) if key in watched.rows else key

    def _changed(self, watched: Watched, touched: set[str]) -> dict[str, str]:
        """Return the rows of alarms that stand whose row is another than the one that was told."""
        if not watched.rule.key:
            return {}
        return {key: watched.text_of(key) for key in touched if key in watched.held and key in watched.rows}

    def _keep_whys(self, of: Named, watched: Watched, made: dict[str, int]) -> None:
        for key, identity in list(made.items())[:MOST_WHYS]:
            if key in watched.rows:
                try:
                    why = self._explain(of.view, next(iter(watched.rows[key])))
                except SmartCISError as error:
                    log.info("an alarm has no why", alarm=identity, reason=error.message)
                else:
                    self.store.keep_why(identity, why)


def one_of_a_key(turns: Sequence[Turn]) -> list[list[Turn]]:
    """Part turns into such that each key is turned once."""
    parts: list[list[Turn]] = []
    seen: set[str] = set()
    for turn in turns:
        if not parts or turn.key in seen:
            parts.append([])
            seen = set()
        parts[-1].append(turn)
        seen.add(turn.key)
    return parts


def named(route: Route) -> Named:
    return Named(route.view, route.output.target)


def as_text(columns: Sequence[Column], row: Row, names: Sequence[str] = ()) -> str:
    """Return a row, or some columns of it, as alarms name them."""
    cells = zip(columns, present.row_presenter(columns)(row), strict=True)
    return json.dumps(
        {column.name: cell for column, cell in cells if not names or column.name in names},
        ensure_ascii=False,
    )
