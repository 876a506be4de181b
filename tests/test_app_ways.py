"""Ways of wishes and of what is held: what a graph library says, whatever happens in a small building."""

import pytest

from app.ways.wish import Known, Thing, Wish, is_view_of_wish, read_wish, wish_of
from engine.model.errors import QueryError
from engine.views.checkpoint import from_bytes, to_bytes
from ingest.holds import LASTS
from tests.memory_log import rows_of
from tests.walked_building import Walked

WISHES = (
    Wish("machine"),
    Wish("machine", software="Word", step_free=True),
    Wish("desk", equipment="printer"),
    Wish("room", equipment="projector"),
    Wish("to", to="r1", thing="room", step_free=True),
)
KNOWN = Known(
    ("machine", "desk", "to"),
    ("LaTeX", "Word"),
    ("printer",),
    (Thing("device", "kettle", "Kettle"), Thing("room", "1.09", "Lab Lovelace"), Thing("desk", "1.09", "x")),
)


@pytest.mark.parametrize("seed", [1, 2])
def test_every_way_is_the_quickest_after_every_change(seed: int) -> None:
    walked = Walked(seed)
    for wish in WISHES:
        walked.wish(wish)
    walked.check()
    for _ in range(20):
        for _ in range(walked.random.choice((1, 1, 4))):
            walked.change()
        walked.log.tick(walked.session)
        walked.check()


def test_a_hold_runs_out_by_the_feeds_time_alone() -> None:
    walked = Walked(4)
    while not walked.standing():
        walked.change()
    walked.log.tick(walked.session)
    assert rows_of(walked.session, "holds_now")
    walked.log.write(LASTS, "lights")
    walked.log.tick(walked.session)
    assert not rows_of(walked.session, "holds_now")
    assert not rows_of(walked.session, "held_ways")
    walked.check()


def test_a_restart_keeps_what_is_held() -> None:
    walked = Walked(5)
    while len(walked.standing()) < 3:
        walked.change()
    walked.log.tick(walked.session)
    image = from_bytes(to_bytes(walked.session.image()))
    walked.session = walked.open()
    walked.session.restore(image, pytest.fail)
    walked.session.restored(pytest.fail)
    walked.check_holds()


def test_a_wish_has_one_spelling_and_one_name() -> None:
    asked = {"kind": "machine", "software": "Word", "step_free": False, "equipment": ""}
    wish = read_wish(asked, KNOWN)
    assert wish == read_wish({"software": "Word", "kind": "machine"}, KNOWN) == wish_of(wish.text)
    assert is_view_of_wish(wish.view)
    assert not is_view_of_wish("ways_of_mine")
    assert wish.view != read_wish({"kind": "machine"}, KNOWN).view


def test_a_thing_is_found_by_id_kind_and_name_a_room_first() -> None:
    for said, kind in (
        ("1.09", "room"),
        ("desk:1.09", "desk"),
        ("Lab Lovelace", "room"),
        ("Kettle", "device"),
    ):
        assert read_wish({"kind": "to", "to": said}, KNOWN).thing == kind


@pytest.mark.parametrize(
    ("body", "problem"),
    [
        ({}, "a wish has no kind None; this building has machine, desk, to"),
        ({"kind": "room"}, "a wish has no kind 'room'"),
        ({"kind": ["machine"]}, "a wish has no kind"),
        ({"kind": "machine", "software": "Wrod"}, "no software Wrod here; there is LaTeX, Word"),
        ({"kind": "desk", "software": "Word"}, "software is on machines"),
        ({"kind": "desk", "equipment": {"a": 1}}, "no equipment {'a': 1} here"),
        ({"kind": "to"}, "the kind to expects"),
        ({"kind": "to", "to": "9.99"}, "there is no room, desk, machine or device 9.99"),
        ({"kind": "desk", "step_free": "yes"}, "step_free is 'yes'; expected true or false"),
    ],
)
def test_what_cannot_be_wished_for_is_said(body: dict[str, object], problem: str) -> None:
    with pytest.raises(QueryError) as caught:
        read_wish(body, KNOWN)
    assert caught.value.message.startswith(problem)
