"""Every scalar function, declared once: its types, its meaning, and how each site writes it.

    comparison   numeric   patterns   text   time   conversions   lists   geometry   datalog

A value is never NaN or infinite, zero has no sign, and an integer has 64 bits; a result outside
is NULL. ``SYNONYMS`` are other names of what is here.
"""

from engine.plan.functions import (
    comparison,
    conversions,
    datalog,
    geometry,
    lists,
    numeric,
    patterns,
    text,
    time,
)
from engine.plan.functions.function import Function

KINDS = (comparison, numeric, patterns, text, time, conversions, lists, geometry, datalog)
FUNCTIONS: dict[str, Function] = {function.name: function for kind in KINDS for function in kind.DECLARED}
SYNONYMS = {
    "ceiling": "ceil",
    "char_length": "length",
    "character_length": "length",
    "pow": "power",
    "substr": "substring",
    "trim": "btrim",
}
