"""Magic sets: what is asked with constants is derived only where it is asked.

    answer(y) :- path("a", y).         →   answer(y) :- path/bf("a", y).
    path(x, z) :- edge(x, z).              path/bf(x, z) :- path/bf?(x), edge(x, z).
    path(x, z) :- edge(x, y), path(y, z).  path/bf(x, z) :- path/bf?(x), edge(x, y), path/bf(y, z).
                                           path/bf?(y) :- path/bf?(x), edge(x, y).
                                           path/bf?("a").

``path/bf`` has the rows of path whose first column is asked for, ``path/bf?`` says for what. Only values
of rows are handed on, never what a functor makes of them, so nothing is asked without an end. What is
negated or aggregated is computed whole, and so is what some output needs whole. A relation is asked by
one pattern, of the columns that are bound wherever it is read.

References:
    Bancilhon, Maier, Sagiv, Ullman. Magic Sets and Other Strange Ways to Implement Logic Programs. PODS 1986.
    Beeri, Ramakrishnan. On the Power of Magic. Journal of Logic Programming 1991.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from engine.lang.datalog.adornment import Asked, Magic
from engine.lang.datalog.classes import Kind, classes_of
from engine.lang.datalog.declared import Checked
from engine.lang.datalog.strata import edges_of

MOST_FACTS = 20  # of a relation that has rules too; each becomes a rule


@dataclass(frozen=True)
class Rewritten:
    """A program with magic sets, and which relations are asked for which of their columns."""

    program: Checked
    asked: tuple[Asked, ...]


def rewritten(program: Checked, roots: Iterable[str]) -> Rewritten:
    """Return the program whose ``roots`` have the same rows; the same program where nothing is gained."""
    wanted = tuple(roots)
    masks = {name: "b" * len(program.relations[name]) for name in eligible_of(program)}
    while masks:
        magic = Magic(program, masks)
        made = magic.program(wanted)
        whole = needed(made, wanted) & masks.keys()
        if not whole and all(masks[name] == mask for name, mask in magic.masks.items()):
            return Rewritten(made, tuple(magic.done)) if magic.done else Rewritten(program, ())
        masks = {name: mask for name, mask in magic.masks.items() if name not in whole and "b" in mask}
    return Rewritten(program, ())


def eligible_of(program: Checked) -> set[str]:
    """Return the relations that recursion makes, from rules alone, without stages."""
    rules = [each.rule for each in program.rules]
    classes = classes_of(program.relations, rules)
    recursive = {name for each in classes if each.kind is Kind.POSITIVE for name in each.stratum.relations}
    staged = {name for each in classes if each.kind is Kind.STAGED for name in each.stratum.relations}
    defined = {rule.head.relation for rule in rules} - set(program.inputs) - staged
    facts = Counter(rule.head.relation for rule in rules if not rule.body)
    defined -= {name for name, count in facts.items() if count > MOST_FACTS}
    return {name for name in defined if needed(program, [name]) & recursive}


def needed(program: Checked, roots: Iterable[str]) -> set[str]:
    """Return all relations that some stand on, themselves among them."""
    reads: dict[str, set[str]] = {}
    for each in program.rules:
        reads.setdefault(each.rule.head.relation, set()).update(edge.body for edge in edges_of(each.rule))
    found = set(roots)
    unseen = list(found)
    while unseen:
        fresh = reads.get(unseen.pop(), set()) - found
        found |= fresh
        unseen += fresh
    return found
