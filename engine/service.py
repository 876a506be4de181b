"""The engine's one thread, and how everyone else asks it.

    others ──(question, future)──▶ inbox ──▶ the engine thread ──▶ session

A tick is a question too: whoever reads the log hands it in and waits until it is closed. So no
view is ever read half-way through a tick, and operators need no locks.
"""

import queue
import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from contextlib import suppress
from typing import Any, TypeVar

from engine.awaiting import told_once
from engine.checking import Use, use_of
from engine.contracts import Explanation, Punctuality, Stamp, ViewInfo
from engine.lang.streamsql import Statement, parse_script
from engine.lang.streamsql.statements.parameters import NO_PARAMETERS, Parameters
from engine.model.errors import InternalError, QueryError
from engine.model.reading import Reading
from engine.model.relation import Relation
from engine.model.values import Row
from engine.outcomes import Changed, Outcome
from engine.plan.explaining import ExplainedPlan, Search
from engine.plan.explaining.shares import Shares
from engine.plan.leaves import StreamFragment
from engine.session import Session, explained_in, query_in
from engine.statements import MakeEffort, Statements, is_asked_once
from engine.subscriptions import Deliver, Subscription, Subscriptions, attempt, end
from engine.views.checkpoint import Image
from engine.views.nodes import LeafNode
from engine.views.view import UNNAMED, Snapshot
from engine.views.why.effort import Effort
from engine.views.why.missing import Missing

T = TypeVar("T")


class Engine:
    """A session behind a thread of its own.

    ``keep_views`` makes a new view outlive us and is called before its maker is answered;
    ``on_watched`` is called when somebody begins to watch where nobody did; ``reach_out`` carries out
    statements that need the world outside, on the thread of whoever asks.
    """

    def __init__(self, session: Session) -> None:
        self.run = session.run
        self._session = session
        self._inbox: queue.SimpleQueue[tuple[Callable[[], Any], Future[Any]] | None] = queue.SimpleQueue()
        self._subscriptions: Subscriptions = {}
        self._listeners: Subscriptions = {}
        self._closed_tick = session.stamp
        self._missing: Mapping[str, tuple[str, ...]] = {}
        self.keep_views: Callable[[], None] = lambda: None
        self.on_watched: Callable[[], None] = lambda: None
        self.reach_out: Callable[[Statement, Parameters], Outcome | None] = lambda _statement, _given: None
        self._observers: list[Callable[[Stamp], None]] = []
        self._thread = threading.Thread(target=self._serve, name="engine", daemon=True)
        self._thread.start()

    # From any thread

    def ask(self, question: Callable[[], T]) -> T:
        """Run a question on the engine thread, between ticks, and return its answer."""
        if threading.current_thread() is self._thread:
            return question()
        answer: Future[T] = Future()
        self._inbox.put((question, answer))
        while not answer.done():
            if not self._thread.is_alive():
                message = "the engine has stopped"
                raise InternalError(message)
            wait_for(answer, seconds=1.0)
        return answer.result()

    def stamp(self) -> Stamp:
        """Return the last closed tick without waiting for the engine."""
        return self._closed_tick

    def fragments(self) -> tuple[StreamFragment, ...]:
        return self._session.fragments()

    def advance(self, end: int, at: int, readings: Mapping[StreamFragment, Sequence[Reading]]) -> None:
        """Close a tick; return when its deltas were handed to the subscribers."""
        self.ask(lambda: self._advance(end, at, readings))

    def subscribe(self, view: str, deliver: Deliver) -> Subscription:
        """Return a snapshot and have every later delta delivered, on the engine thread."""
        return self.ask(lambda: self._subscribe(view, deliver))

    def listen(self, view: str, deliver: Deliver) -> Subscription:
        """Subscribe without counting: it neither keeps a query alive nor keeps a view from being dropped."""
        return self.ask(lambda: self._begin(self._listeners, view, deliver))

    def unsubscribe(self, subscription: Subscription) -> None:
        self.ask(lambda: self._unsubscribe(subscription))

    def query(self, sql: str, parameters: Parameters = NO_PARAMETERS) -> str:
        """Register a query that lives as long as its last subscription."""
        query = query_in(sql)  # on the asker's thread: a long text takes longer to read than a tick to close
        return self.ask(lambda: self._session.start(query, parameters))

    def execute(self, statement: Statement, parameters: Parameters, effort: MakeEffort) -> Outcome:
        """Carry out a statement between two ticks; return when what it changed is there to stay."""
        statements = Statements(self._session, effort, self._check_unwatched)
        if is_asked_once(statement):
            return told_once(lambda: statements.once(statement, parameters), self.ask)
        outcome = self.reach_out(statement, parameters)
        outcome = outcome or self.ask(lambda: statements.execute(statement, parameters))
        if isinstance(outcome, Changed):
            self.keep_views()
        return outcome

    def create_view(self, sql: str) -> str:
        """Register a view; return when it is there to stay."""
        name = self.ask(lambda: self._session.create_view(sql))
        self.keep_views()
        return name

    def drop_view(self, *names: str) -> None:
        self.ask(lambda: self._drop(*names))
        self.keep_views()

    def explain(self, sql: str, parameters: Parameters = NO_PARAMETERS) -> ExplainedPlan:
        asked = explained_in(sql)
        return self.ask(lambda: self._session.explained(asked, parameters))

    def use_of(self, sql: str) -> Use:
        statements = parse_script(sql)
        return self.ask(lambda: use_of(self._session, statements))

    def plan_of(self, view: str, weighs: bool = True) -> ExplainedPlan:
        """Return the plan of a view with what its nodes have done so far, and what else could run."""
        return self.ask(lambda: self._session.questions.running(view, analyzes=True, weighs=weighs))

    def why(self, view: str, row: Row, effort: Effort) -> Explanation:
        """Explain a row between two ticks; the effort bounds how long the next one waits."""
        return self.ask(lambda: self._session.why(view, row, effort))

    def why_not(self, view: str, row: Row, effort: Effort) -> Missing:
        return self.ask(lambda: self._session.why_not(view, row, effort))

    def snapshot(self, view: str) -> Snapshot:
        return self.ask(lambda: self._session.snapshot(view))

    def views(self) -> tuple[ViewInfo, ...]:
        return self.ask(self._session.views)

    def relations(self) -> tuple[Relation, ...]:
        return self.ask(self._session.relations.all)

    def missing(self) -> Mapping[str, tuple[str, ...]]:
        """Return the sites that views were without at the last tick or subscription, without waiting."""
        return self._missing

    def awaited(self) -> frozenset[tuple[str, str]]:
        """Return the gateways from which an answer is on its way, each with the fragment's name."""
        return self.ask(self._session.awaited)

    def sites(self) -> tuple[Row, ...]:
        """Return what is known of the other sites, in the columns of ``sites``."""
        return self.ask(self._session.sites)

    def shipped(self) -> tuple[LeafNode, ...]:
        """Return the leaves that other sites are to answer, without waiting for the engine."""
        return self._session.shipped()

    def punctuality(self) -> tuple[Punctuality, ...]:
        """Tell of each window on a stream with an event time how punctual its rows are."""
        return self.ask(self._session.punctuality)

    def at_risk(self) -> tuple[str, ...]:
        """Say whose rows would be lost with an executor, and why; without waiting for the tick."""
        return self._session.at_risk()

    def shares(self) -> Shares:
        """Tell what the shares of views and tables hold and sent each other so far."""
        return self.ask(self._session.shares)

    def searched(self) -> Search:
        """Tell what seeking plans took so far, and how often running views changed theirs."""
        return self.ask(self._session.adapting.searched)

    def image(self) -> Image:
        return self.ask(self._session.image)

    def on_tick(self, observer: Callable[[Stamp], None]) -> None:
        """Have ``observer`` called on the engine thread after every tick; it must not block."""
        self.ask(lambda: self._observers.append(observer))

    def is_watched(self) -> bool:
        """Tell whether anybody subscribes to anything."""
        return bool(self._subscriptions)

    def watched(self) -> frozenset[str]:
        """Return the views that somebody subscribes to; asked on the engine thread."""
        return frozenset(self._subscriptions)

    def stop(self) -> None:
        self._inbox.put(None)
        self._thread.join(timeout=10)

    # On the engine thread

    def _serve(self) -> None:
        while (entry := self._inbox.get()) is not None:
            question, answer = entry
            try:
                answer.set_result(question())
            except Exception as error:
                answer.set_exception(error)

    def _advance(self, end: int, at: int, readings: Mapping[StreamFragment, Sequence[Reading]]) -> None:
        deltas = self._session.advance(end, at, readings)
        self._closed_tick = self._session.stamp
        self._missing = self._session.missing()
        for delta in deltas:
            listening = (*self._subscriptions.get(delta.view, ()), *self._listeners.get(delta.view, ()))
            for subscription in listening:
                attempt(subscription.deliver, delta)
        for observer in self._observers:
            attempt(observer, self._closed_tick)
        self._session.adapt()

    def _subscribe(self, view: str, deliver: Deliver) -> Subscription:
        was_watched = self.is_watched()
        subscription = self._begin(self._subscriptions, view, deliver)
        if not was_watched:
            self.on_watched()
        return subscription

    def _begin(self, among: Subscriptions, view: str, deliver: Deliver) -> Subscription:
        subscription = Subscription(self.unsubscribe, self._session.snapshot(view), deliver)
        self._missing = self._session.missing()  # of a query that is new, too
        among.setdefault(view, []).append(subscription)
        return subscription

    def _unsubscribe(self, subscription: Subscription) -> None:
        view = subscription.snapshot.view
        end(self._listeners, subscription)
        if end(self._subscriptions, subscription) and view.startswith(UNNAMED):
            with suppress(QueryError):
                self._session.drop(view)

    def _drop(self, *names: str) -> None:
        for name in names:
            self._check_unwatched(name)
        self._session.drop(*names)

    def _check_unwatched(self, name: str) -> None:
        if name in self._subscriptions:
            message = f"{name} is being watched by {len(self._subscriptions[name])}; close them first"
            raise QueryError(message)


def wait_for(answer: "Future[Any]", seconds: float) -> None:
    """Wait for an answer, at most so long."""
    done = threading.Event()
    answer.add_done_callback(lambda _: done.set())
    done.wait(seconds)
