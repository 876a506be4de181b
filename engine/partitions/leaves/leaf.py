"""A spread leaf as the dataflow has it: what comes goes to the shares, and their change comes back.

    advance  →  one round: readings to the owners of their keys, Δ back          contents  →  share by share

Of its rows nothing stays here but the journal, a file. A tick that fails for good leaves the readings in
it, so the next one finds the shares made anew with them; whoever reads the leaf is suspended meanwhile.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial

import structlog

from engine.model.errors import SourceError
from engine.model.reading import Reading
from engine.operators.budget import Budget
from engine.operators.delta import merge
from engine.operators.event_window import EventWindow
from engine.operators.leaf import Leaf, State
from engine.operators.of_plan import leaf_of
from engine.operators.restated import Restated
from engine.partitions.carrying import Asking, Carrier
from engine.partitions.epoch import Traffic
from engine.partitions.hashing import Partition
from engine.partitions.leaves.journal import Journal
from engine.partitions.leaves.pieces import SPREAD, pieces_of, whole
from engine.partitions.leaves.share import LeafShare
from engine.partitions.leaves.spreading import owner_of_row, spread
from engine.partitions.lost import Lost, note, tried
from engine.partitions.orders import Advance, Came, Count, Keep, LeafTold, Order, Parcel, Restored, Rows, Say
from engine.partitions.round import Round
from engine.plan.explaining.describing import describe
from engine.plan.explaining.shares import Shares, added
from engine.plan.leaves import Leaf as LeafPlan
from engine.provenance.counting import COUNTING

FEW, SMALL = 50_000, 1_000_000  # rows, and bytes of packed states, that go through the driver at once
RESTART = "a restart of SmartCIS has them from the last snapshot and the log"
log = structlog.get_logger(__name__)
Parcels = Mapping[Partition, Sequence[Parcel]]


class SpreadLeaf:
    """The rows of a leaf, in shares that ``carry`` says where they are."""

    def __init__(self, plan: LeafPlan, budget: Budget, carry: Callable[[], Carrier]) -> None:
        self._plan, self._budget, self._carrier = plan, budget, carry()
        self.is_still = leaf_of(plan).is_still
        self.partitions = self._carrier.partitions
        self._owner = owner_of_row(plan, self.partitions)
        self._journal = Journal()
        self._told: dict[Partition, LeafTold] = {}
        self._traffic = Traffic()
        self._is_behind = True

    def asking(self, readings: Iterable[Reading], now: int) -> Asking | None:
        """Return the round that takes what came; None where shares are to be made anew first."""
        return None if self._is_behind else Asking(self._carrier, Advance(now), self._spread(readings))

    def advance(self, readings: Iterable[Reading], now: int, found: Round | Exception | None = None) -> Rows:
        """Take what came; ``found`` is what a round of several leaves led to, if there was one."""
        came = list(readings)
        try:
            change = self._advanced(came, now, found).rows
        except Exception:
            self.forget()
            raise
        finally:
            self._journal.add(came, now)
        if self._journal.is_long(len(self)):
            self._renew_journal(self._pieces())
        return change

    def _advanced(self, came: Sequence[Reading], now: int, found: Round | Exception | None) -> Round:
        if isinstance(found, Round):
            self._traffic.last_rounds = 0
            return self._noted(found)
        if isinstance(found, Lost):
            note(self, found)
            self.forget()
        elif found is not None:
            raise found
        return self._asked(Advance(now), self._spread(came))

    def _renew_journal(self, pieces: Iterable[bytes]) -> None:
        """Have the journal begin with what shares hold now; one that cannot goes on as it is."""
        try:
            self._journal.begin(pieces)
        except SourceError as error:
            log.warning("the journal of a leaf is not written anew", of=str(self), reason=error.message)

    def portions(self) -> Iterator[Rows]:
        """Yield what is contained, of some shares at a time."""
        for some in self._some():
            yield self._asked(Say(some)).rows

    def contents(self) -> Rows:
        found: Rows = {}
        for rows in self.portions():
            merge(found, rows, COUNTING)
        return found

    def state(self) -> State:
        pieces = list(self._pieces())
        self._renew_journal(pieces)
        return [SPREAD, *pieces]

    def restore(self, state: State) -> None:
        self._journal.begin(pieces_of(self._plan, state, self.partitions))
        tried(self, lambda _: self._make_anew())

    def forget(self) -> None:
        """Take the shares for lost."""
        self._is_behind = True

    def here(self) -> Leaf[int]:
        """Return the same leaf with its rows in this process."""
        leaf = leaf_of(self._plan)
        leaf.restore(whole(leaf, self.state()))
        return leaf

    def shares(self) -> Shares:
        """Return what the shares hold, and what was sent to them."""
        kept = tuple(told.rows for _, told in sorted(self._told.items()))
        return Shares(kept, self._traffic.rounds, self._traffic.last_rounds, self._traffic.sent)

    @property
    def problem(self) -> str:
        """Why they cannot be made anew, should they be lost."""
        return self._journal.problem

    def end(self) -> None:
        """Let go of the shares."""
        self._carrier.end()
        self._journal.end()

    def __str__(self) -> str:
        return describe(self._plan)

    def __len__(self) -> int:
        return sum(told.rows for told in self._told.values())

    def _pieces(self) -> Iterator[bytes]:
        for some in self._some():
            found = self._asked(Keep(some)).leaves
            yield from (found[number].piece for number in some)

    def _some(self) -> Iterator[Sequence[Partition]]:
        """Yield the shares, as many at a time as have few rows together."""
        found: list[Partition] = []
        rows = 0
        for number in range(self.partitions):
            own = self._told[number].rows if number in self._told else 0
            if found and rows + own > FEW:
                yield found
                found, rows = [], 0
            found.append(number)
            rows += own
        yield found

    def _spread(self, readings: Iterable[Reading]) -> Parcels:
        found = spread(readings, self._owner, self.partitions)
        return {number: [Came(rows)] for number, rows in found.items()}

    def _asked(self, order: Order, parcels: Parcels | None = None) -> Round:
        """Have the shares carry out an order; lost ones are made anew as they were before it."""

        def attempt(is_again: bool) -> Round:
            if is_again or self._is_behind:
                self._make_anew()
            self._traffic.last_rounds = 0
            return self._round(order, parcels or {})

        return tried(self, attempt)

    def _make_anew(self) -> None:
        if self._journal.problem:
            message = f"its rows are lost: {self._journal.problem}, and then its shares were; {RESTART}"
            raise SourceError(message)
        self._carrier.begin(partial(LeafShare, self._plan), self._budget)
        for parcels in self._restoring():
            self._round(Count(), parcels)
        for readings in self._journal.turns():
            self._round(Advance(self._journal.now), self._spread(readings))
        self._round(Advance(self._journal.now), {})
        self._is_behind = False

    def _restoring(self) -> Iterator[Parcels]:
        """Yield the states for the shares, as many at a time as are small together."""
        found: dict[Partition, Sequence[Parcel]] = {}
        size = 0
        for number, piece in enumerate(self._journal.pieces()):
            if found and size + len(piece) > SMALL:
                yield found
                found, size = {}, 0
            found[number] = [Restored(piece)]
            size += len(piece)
        yield found

    def _round(self, order: Order, parcels: Parcels) -> Round:
        return self._noted(self._carrier.round(order, parcels))

    def _noted(self, found: Round) -> Round:
        self._told.update({number: told._replace(piece=b"") for number, told in found.leaves.items()})
        self._traffic.rounds += 1
        self._traffic.last_rounds += 1
        self._traffic.sent = added(self._traffic.sent, found.sent)
        return found


class SpreadEventWindow(SpreadLeaf):
    """A spread window by when things happened."""

    @property
    def late(self) -> int:
        return sum(told.late for told in self._told.values())

    @property
    def waiting(self) -> int:
        return sum(told.waiting for told in self._told.values())


class SpreadAnswer(SpreadLeaf):
    """The spread rows of a database's fragment."""

    def unanswered(self, voices: Collection[str]) -> list[str]:
        is_answered = all(told.is_answered for told in self._told.values())
        return [] if is_answered else list(voices)


def spread_leaf(plan: LeafPlan, budget: Budget, carry: Callable[[], Carrier]) -> SpreadLeaf:
    """Return a leaf in shares, without rows."""
    match leaf_of(plan):
        case EventWindow():
            return SpreadEventWindow(plan, budget, carry)
        case Restated():
            return SpreadAnswer(plan, budget, carry)
    return SpreadLeaf(plan, budget, carry)
