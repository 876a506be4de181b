"""A gateway whose words were lost is asked to say everything again, once it is late and as long as it is."""

from app.renewing import Renewing


def test_a_gateway_is_asked_again_when_its_answer_was_on_its_way_for_a_whole_period() -> None:
    awaited, sent = {"a"}, list[str]()
    renewing = Renewing(lambda: set(awaited), sent.append)
    renewing.look()
    assert sent == [], "it may be about to answer"
    awaited.add("b")
    renewing.look()
    assert sent == ["a"]
    awaited.remove("a")
    renewing.look()
    assert sent == ["a", "b"]
    awaited.clear()
    renewing.look()
    renewing.look()
    assert sent == ["a", "b"]
