"""What gateways put out is, after any prefix of the log, what each held in its newest complete life."""

from collections import Counter
from collections.abc import Sequence
from random import Random

import pytest

from engine.model.reading import Reading
from engine.model.values import Row
from engine.operators.incarnations import Incarnations
from engine.operators.restated import Restated
from engine.provenance.counting import COUNTING

GATEWAYS = ("a", "b", "c")
Message = tuple[str, int | None, int, bool, tuple[tuple[int, Row], ...]]


def readings_of(messages: Sequence[Message]) -> list[list[Reading]]:
    """Return the entries that messages become; one without a life says that the gateway is removed."""
    found = []
    for offset, (gateway, incarnation, sequence, settled, changes) in enumerate(messages, 1):
        head = (gateway, incarnation, sequence, settled)
        signed = [(-1, (None,))] if incarnation is None else [*changes, (0, (None,))]
        found.append([Reading("f", s, (*head, *row), offset, n, 0) for n, (s, row) in enumerate(signed)])
    return found


class Gateway:
    """Speaks of a bag of rows that comes and goes; its words may come twice or not at all."""

    def __init__(self, name: str, random: Random) -> None:
        self.name, self.random = name, random
        self.rows: Counter[Row] = Counter()
        self.incarnation = 0
        self.sequence, self.left = 0, list[Row]()

    def begins(self) -> None:
        self.incarnation += self.random.randint(1, 3)
        self.sequence, self.left = 0, list(self.rows.elements())

    def says(self) -> Message:
        """Say a part of the state that is left to say, or what changed since."""
        if not self.incarnation:
            self.begins()
        changes: list[tuple[int, Row]] = []
        while self.left and self.random.random() < 0.6:
            changes.append((1, self.left.pop()))
        settled = not self.left
        if settled:
            for _ in range(self.random.randint(0, 2)):
                row, sign = (self.random.randint(0, 3),), self.random.choice((1, 1, -1))
                if sign > 0 or self.rows[row]:
                    self.rows[row] += sign
                    changes.append((sign, row))
        self.sequence += 1
        return self.name, self.incarnation, self.sequence - 1, settled, tuple(changes)


def story(random: Random, is_lossy: bool) -> list[Message]:
    gateways = [Gateway(name, random) for name in GATEWAYS]
    told: list[Message] = []
    for _ in range(random.randint(5, 60)):
        gateway, chance = random.choice(gateways), random.random()
        if chance < 0.12:
            gateway.begins()
        elif chance < 0.15:
            told.append((gateway.name, None, 0, False, ()))
            gateway.begins()
        message = gateway.says()
        if not (is_lossy and random.random() < 0.1):
            told.append(message)
        if told and random.random() < 0.2:
            told.append(random.choice([m for m in told[-6:] if m[1] is not None] or [message]))
    return told


def recomputed(messages: Sequence[Message]) -> Counter[Row]:
    """The naive meaning: of each gateway the last of its lives that are whole up to the settled message."""
    found: Counter[Row] = Counter()
    for name in GATEWAYS:
        own = [message for message in messages if message[0] == name]
        last_removal = max((n for n, message in enumerate(own) if message[1] is None), default=-1)
        found += shown(own[last_removal + 1 :])
    return found


def shown(own: Sequence[Message]) -> Counter[Row]:
    newest, shows = 0, Counter[Row]()
    lives: dict[int, list[Message]] = {}
    for message in own:
        if (message[1] or 0) >= newest:
            newest = message[1] or 0
            lives.setdefault(newest, []).append(message)
    for incarnation in sorted(lives):
        heard = once(lives[incarnation])
        settles = next((n for n, message in enumerate(heard) if message[3]), None)
        if settles is None or [message[2] for message in heard[: settles + 1]] != list(range(settles + 1)):
            continue
        shows = Counter()
        for sign, row in (change for message in heard for change in message[4]):
            if sign > 0 or shows[row]:
                shows[row] += sign
    return +shows


def once(messages: Sequence[Message]) -> list[Message]:
    """Leave out what was heard before, or comes after what follows it."""
    due, found = 0, []
    for message in messages:
        if message[2] >= due:
            found.append(message)
            due = message[2] + 1
    return found


@pytest.mark.parametrize("is_lossy", [False, True])
def test_any_story_cut_into_any_ticks_is_what_a_recomputation_says(is_lossy: bool) -> None:
    random = Random(5)
    for _ in range(400):
        messages = story(random, is_lossy)
        leaf, held = Incarnations(COUNTING), Counter[Row]()
        entries, at = readings_of(messages), 0
        while at < len(entries):
            width = random.randint(1, 4)
            tick = [reading for entry in entries[at : at + width] for reading in entry]
            at = min(at + width, len(entries))
            for row, count in leaf.advance(tick, 0).items():
                held[row] += count
            assert +held == recomputed(messages[:at])
            assert not -held
            if random.random() < 0.3:  # a restart
                again = Incarnations(COUNTING)
                again.restore(leaf.state())
                leaf = again
        assert leaf.contents() == dict(+held)


def advanced(leaf: Incarnations[int], *messages: Message) -> dict[Row, int]:
    return leaf.advance([reading for entry in readings_of(messages) for reading in entry], 0)


def test_a_life_that_begins_is_shown_at_once_when_it_settles() -> None:
    leaf = Incarnations(COUNTING)
    assert advanced(leaf, ("a", 1, 0, True, ((1, (1,)), (1, (2,))))) == {(1,): 1, (2,): 1}
    assert advanced(leaf, ("a", 2, 0, False, ((1, (2,)),))) == {}, "the earlier life stands meanwhile"
    assert advanced(leaf, ("a", 1, 1, True, ((1, (9,)),))) == {}, "what an earlier life still says is late"
    assert advanced(leaf, ("a", 2, 1, True, ((1, (3,)),))) == {(1,): -1, (3,): 1}


def test_who_lost_a_message_or_never_spoke_has_not_answered() -> None:
    leaf = Incarnations(COUNTING)
    advanced(leaf, ("a", 1, 0, True, ()), ("b", 1, 0, False, ()))
    assert leaf.unanswered(GATEWAYS) == ["b", "c"]
    advanced(leaf, ("a", 1, 2, True, ((1, (5,)),)))
    assert (leaf.unanswered(["a"]), leaf.lost()) == (["a"], 1)
    assert leaf.contents() == {(5,): 1}, "what is heard counts"
    advanced(leaf, ("a", 2, 0, True, ()))
    assert (leaf.unanswered(["a"]), leaf.lost(), leaf.contents()) == ([], 0, {})


def test_a_repeated_message_and_the_delete_of_what_is_absent_are_counted() -> None:
    leaf = Incarnations(COUNTING)
    message: Message = ("a", 1, 0, True, ((1, (1,)),))
    advanced(leaf, message, message, ("a", 1, 1, True, ((-1, (7,)),)))
    assert (leaf.repeated, leaf.ignored_deletes, leaf.contents()) == (1, 1, {(1,): 1})


def reading(sign: int, value: int | None) -> Reading:
    return Reading("f", sign, (value,), 1, 0, 0)


def test_a_database_that_begins_again_takes_back_what_it_said() -> None:
    leaf = Restated(COUNTING)
    assert leaf.unanswered(["database:x"]) == ["database:x"]
    assert leaf.advance([reading(0, None)], 0) == {}
    assert leaf.unanswered(["database:x"]) == []
    leaf.advance([reading(1, 1), reading(1, 1), reading(1, 2)], 0)
    change = leaf.advance([reading(-1, 2), reading(0, None), reading(1, 1), reading(1, 3)], 0)
    assert change == {(1,): -1, (2,): -1, (3,): 1}
    again = Restated(COUNTING)
    again.restore(leaf.state())
    assert (again.contents(), again.is_answered) == ({(1,): 1, (3,): 1}, True)
