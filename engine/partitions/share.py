"""One partition's share of a plan: the operators of every part that is split, and the parts that are at home.

    arrived rows  →  mail  →  stage after stage: step(mail)  →  mail of this partition, parcels for others

Operators are those of the driver (``engine.operators.of_plan``), but for recursive strata
(``engine.partitions.recursion``). A part is run once a stage, when all that it reads is whole, so no operator
sees half of a tick; a stratum takes its inputs with its stage, settles in as many rounds as it ships rows,
and puts out what changed at its close.
"""

from collections.abc import Iterable
from typing import NamedTuple

from engine.network.wiring import wired
from engine.operators.budget import Budget
from engine.operators.delta import merge
from engine.operators.of_plan import operator_of
from engine.operators.operator import Operator
from engine.partitions.cutting import DRIVER, Cut
from engine.partitions.hashing import Partition
from engine.partitions.orders import Begin, Close, Mail, Order, Parcel, Rows, Run, Told
from engine.partitions.recursion.share import Content, Outgoing, StratumShare
from engine.partitions.roads import Road
from engine.plan.physical import children
from engine.provenance.counting import COUNTING


class Outcome(NamedTuple):
    """What a share made of an order: parcels, which stages have mail here, what is for the driver.

    It is unsettled where a stratum took something since it was closed.
    """

    parcels: list[tuple[Partition, Parcel]]
    waiting: frozenset[int]
    unsettled: bool
    rows: Rows


class Share:
    """The operators of one partition."""

    def __init__(self, cut: Cut, number: Partition, partitions: int, budget: Budget) -> None:
        self._cut, self.number, self._partitions = cut, number, partitions
        self._strata: dict[int, StratumShare] = {}
        self._operators: dict[int, Operator[int]] = {}
        for part, each in enumerate(cut.parts):
            program = each.program
            if program is not None:
                self._strata[part] = StratumShare(wired(program), number, partitions, budget)
            elif each.home is None or each.home.home(partitions) == number:
                self._operators[part] = operator_of(each.plan, budget)
        self._roads = [[Road(edge, partitions) for edge in part.edges] for part in cut.parts]
        self._mail: dict[tuple[int, int], Rows] = {}
        self._unsettled = False
        self._parcels: list[tuple[Partition, Parcel]] = []
        self._output: Rows = {}

    def take(self, order: Order, parcels: Iterable[Parcel]) -> Outcome:
        """Carry out an order after taking what was sent."""
        self._arrived(parcels)
        match order:
            case Begin():
                for part, operator in self._operators.items():
                    self._put_out(part, operator.start())
            case Run(stage):
                self._run(stage)
            case Close(stage):
                self._unsettled = False
                for part in self._of(stage):
                    if part in self._strata:
                        self._put_out(part, self._closed(part))
        return self._outcome()

    def _arrived(self, parcels: Iterable[Parcel]) -> None:
        sent: dict[int, list[Content]] = {}
        for parcel in parcels:
            if isinstance(parcel, Mail):
                self._deliver(parcel.part, parcel.side, parcel.rows)
            elif isinstance(parcel, Told):
                sent.setdefault(parcel.part, []).append(parcel.content)
        for part, contents in sent.items():
            self._tell(part, self._strata[part].take(contents))

    def stages_of(self, parcels: Iterable[Parcel]) -> frozenset[int]:
        """Return the stages that mail is for."""
        return frozenset(self._cut.parts[each.part].stage for each in parcels if isinstance(each, Mail))

    def _outcome(self) -> Outcome:
        parcels, output = self._parcels, self._output
        self._parcels, self._output = [], {}
        waiting = frozenset(self._cut.parts[part].stage for part, _ in self._mail)
        return Outcome(parcels, waiting, self._unsettled, output)

    def entries(self) -> int:
        held: list[Operator[int] | StratumShare] = [*self._operators.values(), *self._strata.values()]
        return sum(each.entries() for each in held)

    def _of(self, stage: int) -> Iterable[int]:
        return (number for number, part in enumerate(self._cut.parts) if part.stage == stage)

    def _run(self, stage: int) -> None:
        for part in self._of(stage):
            sides = range(len(children(self._cut.parts[part].plan)))
            changes = [self._mail.pop((part, side), {}) for side in sides]
            if not any(changes):
                continue
            if part in self._strata:
                self._unsettled = True
                self._tell(part, self._strata[part].change(changes))
            else:
                self._put_out(part, self._operators[part].step(*changes))

    def _closed(self, part: int) -> Rows:
        """Return what changed in a stratum; of several definitions, behind their numbers."""
        changed = self._strata[part].close()
        if len(changed) == 1:
            return changed[0]
        return {(number, *row): sign for number, rows in enumerate(changed) for row, sign in rows.items()}

    def _tell(self, part: int, outgoing: Outgoing) -> None:
        self._parcels += [(receiver, Told(part, content)) for receiver, content in outgoing]

    def _put_out(self, part: int, rows: Rows) -> None:
        """Lead what a part puts out to all that read it."""
        for road in self._roads[part] if rows else ():
            if road.edge.to == DRIVER:
                merge(self._output, rows, COUNTING)
                continue
            for receiver, its in road.split(rows, self.number):
                if receiver == self.number:
                    self._deliver(road.edge.to, road.edge.side, its)
                else:
                    self._parcels.append((receiver, Mail(road.edge.to, road.edge.side, its)))

    def _deliver(self, part: int, side: int, rows: Rows) -> None:
        held = self._mail.get((part, side))
        if held is None:
            self._mail[part, side] = dict(rows)
        else:
            merge(held, rows, COUNTING)
            if not held:
                del self._mail[part, side]
