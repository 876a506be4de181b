"""When alarms are raised and end: by the machine as by looking at all that came and went."""

from hypothesis import given
from hypothesis import strategies as st

from app.alarming.life import Life, Seen, Turn
from app.alarming.rule import Rule

RULES = st.builds(
    lambda hold, linger, flaps, flapping: Rule(
        hold=hold, linger=linger, flaps=flaps, flapping=flapping if flaps else 0
    ),
    st.integers(0, 6),
    st.integers(0, 6),
    st.sampled_from([0, 2, 3]),
    st.integers(1, 15),
)
STEPS = st.lists(
    st.tuples(st.integers(0, 5), st.dictionaries(st.sampled_from("ab"), st.sampled_from(Seen))), max_size=25
)


def looked_up(rule: Rule, steps: list[tuple[int, dict[str, Seen]]], key: str, end: int) -> list[Turn]:
    """Look at every moment: is it raised, since the row stood for so long, or was gone for so long?"""
    at, is_there = 0, False
    changes: dict[int, list[Seen]] = {}
    for wait, said in steps:
        at += wait
        if key in said:
            changes.setdefault(at, []).append(said[key])
    turns: list[Turn] = []
    raisings: list[int] = []
    is_raised, since, linger = False, 0, 0
    for now in range(end + 1):
        for says in [None, *changes.get(now, [])]:
            stays = (
                is_there
                if says is None
                else says in ((Seen.RAISES, Seen.KEEPS) if is_raised else (Seen.RAISES,))
            )
            if stays != is_there:
                is_there, since = stays, now
                if is_there and is_raised:
                    raisings.append(now)
                flaps = rule.flaps and sum(now - r <= rule.flapping for r in raisings[-rule.flaps :])
                linger = max(rule.linger, rule.flapping if flaps and flaps >= rule.flaps else 0)
            if due(is_there, is_raised, since, rule.hold, linger, now):
                is_raised = is_there
                if is_raised:
                    raisings.append(now)
                lately = sum(now - r <= rule.flapping for r in raisings[-rule.flaps :]) if rule.flaps else 0
                flaps = is_raised and bool(rule.flaps) and lately >= rule.flaps
                turns.append(Turn(key, is_raised, now, flaps))
    return turns


def due(is_there: bool, is_raised: bool, since: int, hold: int, linger: int, now: int) -> bool:
    return is_there != is_raised and now - since >= (hold if is_there else linger)


@given(RULES, STEPS, st.lists(st.booleans(), min_size=200, max_size=200))
def test_what_is_told_is_what_every_moment_shows_however_often_it_is_asked(rule, steps, asked):
    life, told, at = Life(rule), [], 0
    for wait, said in steps:
        for moment in range(at, at + wait):
            if asked[moment % len(asked)]:
                told += life.settle(moment)
        at += wait
        told += life.change(said, at)
    end = at + 40
    told += life.settle(end)
    for key in "ab":
        mine = [turn for turn in told if turn.key == key]
        assert mine == looked_up(rule, steps, key, end)
    assert [turn.at for turn in told] == sorted(turn.at for turn in told)


def test_what_stood_before_ends_when_the_first_state_lacks_it():
    life = Life(Rule(linger=5))
    life.resume("x", 0)
    life.resume("y", 0)
    assert life.hold({"x": Seen.RAISES}, 10) == []
    assert life.settle(14) == []
    assert life.settle(15) == [Turn("y", False, 15)]
    assert life.raised() == {"x"}


def test_a_state_that_is_told_again_changes_nothing():
    life = Life(Rule(hold=3))
    assert life.hold({"x": Seen.RAISES}, 0) == []
    assert life.hold({"x": Seen.RAISES}, 2) == []
    assert life.hold({"x": Seen.RAISES}, 3) == [Turn("x", True, 3)]
    assert life.hold({"x": Seen.RAISES}, 9) == []
