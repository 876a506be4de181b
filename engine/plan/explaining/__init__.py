"""How a plan is run: a tree of values first, then two renderings of it.

plan ─explained→ tree ─as_text→ an indented table         ─as_document→ nodes and edges, as JSON has them

describing    a node in words              estimates   what is expected, and what was observed
choosing      the ways that lost           ordering    the orders of joins that lost
turning       changes of a running plan    room        one process or shares, and why
tree          all of it together
"""

from engine.plan.explaining.choosing import Alternative, Choice, Costs, Search
from engine.plan.explaining.document import as_document
from engine.plan.explaining.estimates import Estimate, Keeps, Kept, Passed, Source
from engine.plan.explaining.ordering import Joined, Ordered
from engine.plan.explaining.room import Room
from engine.plan.explaining.text import as_text
from engine.plan.explaining.tree import Explained, ExplainedPlan, PlanForm, explained
from engine.plan.explaining.turning import Compared, Surprise, Turn

__all__ = [
    "Alternative",
    "Choice",
    "Compared",
    "Costs",
    "Estimate",
    "Explained",
    "ExplainedPlan",
    "Joined",
    "Keeps",
    "Kept",
    "Ordered",
    "Passed",
    "PlanForm",
    "Room",
    "Search",
    "Source",
    "Surprise",
    "Turn",
    "as_document",
    "as_text",
    "explained",
]
