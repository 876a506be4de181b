"""Who sees what is routed: displays are for everyone, alarms for operators, and only an admin routes."""

from pathlib import Path

from app.outputs import ALARM, DISPLAY
from app.roles import Role
from engine.lang.streamsql import Output
from engine.model.values import Type
from tests.memory_engine import MemoryEngine
from tests.web_parts import client_of, running_site, web_over


def test_a_view_on_a_display_is_for_everyone_and_others_are_not(tmp_path: Path) -> None:
    engine = MemoryEngine({"lonely_rooms": {"room": Type.TEXT}})
    with running_site(tmp_path, engine=engine) as site:
        socket = site.socket(Role.KIOSK)
        assert "analyst" in socket.emit("watch", {"view": "lonely_rooms"})["error"]
        site.web.outlets.router.follow("lonely_rooms", (Output(DISPLAY, "lobby"),))
        assert socket.next("routed") == ("routed", {})
        assert client_of(site.web, Role.KIOSK).get("/api/displays").json == {"lobby": ["lonely_rooms"]}
        socket.emit("watch", {"view": "lonely_rooms"})
        assert socket.next("snapshot")[1]["view"] == "lonely_rooms"
        socket.close()


def test_operators_are_told_of_alarms_and_kiosks_are_not(tmp_path: Path) -> None:
    with running_site(tmp_path) as site:
        site.web.outlets.router.follow("dark_rooms", (Output(ALARM),))
        operator, kiosk = site.socket(Role.OPERATOR), site.socket(Role.KIOSK)
        assert operator.connected.wait(120)
        assert kiosk.connected.wait(120)
        site.tick(dark_rooms=[(("1.01", 3.0), 1)])
        assert operator.next("alarm")[1]["row"] == {"room": "1.01", "lux": 3.0}
        assert kiosk.is_quiet("alarm", 0.3)
        told = client_of(site.web, Role.OPERATOR).get("/api/alarms").json["alarms"]
        assert [(alarm["view"], alarm["until"]) for alarm in told] == [("dark_rooms", None)]
        operator.close()
        kiosk.close()


def test_an_analyst_may_not_route(tmp_path: Path) -> None:
    web = web_over(MemoryEngine(), tmp_path)
    asked = {"sql": "SELECT person FROM people OUTPUT TO DISPLAY 'lobby'"}
    headers = {"Origin": "http://127.0.0.1:8000"}
    answer = client_of(web, Role.ANALYST).post("/api/query", json=asked, headers=headers)
    assert answer.status_code == 403
    assert "OUTPUT TO needs the role admin" in answer.json["error"]
    remedy = "the role admin makes it a view, CREATE VIEW name AS … OUTPUT TO …; leave OUTPUT TO out"
    assert remedy in answer.json["error"]
    for role in (Role.ANALYST, Role.ADMIN):
        once = client_of(web, role).post("/api/statements", json=asked, headers=headers)
        assert once.status_code == 400
        assert "found a query that is asked once" in once.json["error"]
        assert remedy in once.json["error"]
        assert asked["sql"][once.json["span"]["start"] :].startswith("DISPLAY")
