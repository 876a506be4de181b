"""What the console offers to begin with: those of these texts that this building can answer."""

from collections.abc import Iterator
from typing import NamedTuple

from app.facade import Engine
from engine.checking import Use
from engine.model.errors import QueryError


class Example(NamedTuple):
    """A text to begin with, as it stands in the editor; one of Datalog without what makes it a query."""

    title: str
    text: str
    language: str = "streamsql"

    @property
    def sql(self) -> str:
        return f"DATALOG $$\n{self.text}\n$$" if self.language == "datalog" else self.text


EXAMPLES = (
    Example(
        "free desks by room",
        "SELECT d.room, count(*) AS free\n"
        "FROM seats s, desks d\n"
        "WHERE s.desk = d.desk AND NOT s.pressed\n"
        "GROUP BY d.room",
    ),
    Example(
        "the warmest rooms",
        "SELECT room, celsius\nFROM room_temperature\nORDER BY celsius DESC\nLIMIT 10",
    ),
    Example(
        "how far one can walk while doors are closed",
        "WITH RECURSIVE steps(a, b) AS (\n"
        "  SELECT w.a, w.b FROM walking_ways w\n"
        "  WHERE NOT EXISTS (SELECT 1 FROM doors_now d WHERE d.door = w.door AND NOT d.open)\n"
        "), reached(point) AS (\n"
        "  SELECT point FROM walking_points WHERE kind = 'entrance'\n"
        "  UNION SELECT s.b FROM reached r, steps s WHERE s.a = r.point\n"
        "  UNION SELECT s.a FROM reached r, steps s WHERE s.b = r.point\n"
        ")\n"
        "SELECT p.floor, count(*) AS points\n"
        "FROM reached r, walking_points p\n"
        "WHERE p.point = r.point\n"
        "GROUP BY p.floor",
    ),
    Example(
        "in Datalog: along corridors, by short steps",
        ".decl steps(segment: symbol, a: symbol, b: symbol, metres: float, seconds: float, way: symbol)\n"
        '.input steps(name="routing_segments")\n'
        ".decl near(from: symbol, to: symbol)\n"
        'near(a, b) :- steps(_, a, b, m, _, "corridor"), m < 3.0.\n'
        "near(a, c) :- near(a, b), near(b, c).\n"
        "?- near(from, to).",
        "datalog",
    ),
    Example("what there is", "SHOW VIEWS; SHOW STREAMS; SHOW TABLES"),
)


def answerable(engine: Engine) -> Iterator[Example]:
    """Yield the examples that mean something here."""
    for example in EXAMPLES:
        try:
            if engine.use_of(example.sql) in (Use.QUERY, Use.READ):
                yield example
        except QueryError:
            continue  # it names what this building does not have
