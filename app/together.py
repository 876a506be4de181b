"""How many must be together before viewers and kiosks are shown people, or a count of them.

    people             one row a person, under a pseudonym: analysts and above
    people_together    those of them on floors with at least k people: what the map of everybody else shows
    floors_with_few    floors with somebody, but fewer than k: how many is not said

A count under k is told as «under k», nobody as nobody. What is not a count stays as it is: whether a desk is
taken, a room lit or reserved. A building whose ``people`` has no floor shows them to nobody below analysts.

References:
    Sweeney. k-Anonymity: A Model for Protecting Privacy. IJUFKS 10 (2002).
"""

from collections.abc import Iterator

from app.roles import Role
from engine.contracts import ViewInfo
from engine.lang.streamsql import Statement, parse_script

PEOPLE, TOGETHER, FEW = "people", "people_together", "floors_with_few"
NEEDED = frozenset({"person", "floor", "x", "y"})
SEES_ALL = Role.ANALYST


def views_together(views: tuple[ViewInfo, ...], least: int) -> Iterator[Statement]:
    """Yield the views of people together, of a building that has people on floors."""
    people = next((view for view in views if view.name == PEOPLE), None)
    if people is not None and {column.name for column in people.columns} >= NEEDED:
        yield from parse_script(TEXT.format(least=int(least)))


TEXT = f"""
CREATE VIEW {TOGETHER} WITH (history = '1 day', key = 'person') AS
SELECT p.person, p.floor, p.x, p.y
FROM {PEOPLE} p, (SELECT q.floor, count(*) AS there FROM {PEOPLE} q GROUP BY q.floor) c
WHERE c.floor = p.floor AND c.there >= {{least}};

CREATE VIEW {FEW} WITH (history = '1 day', key = 'floor') AS
SELECT p.floor, {{least}} AS least FROM {PEOPLE} p GROUP BY p.floor HAVING count(*) < {{least}}
"""
