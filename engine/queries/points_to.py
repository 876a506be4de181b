"""What the variables of a program may point to, whatever order its statements run in.

    v = new o        v = w        v = *w        *v = w

References:
    Andersen. Program Analysis and Specialization for the C Programming Language. PhD thesis,
    DIKU, University of Copenhagen 1994.
"""

from dataclasses import replace

from engine.plan.logical import Definition, Fixpoint, Plan, Recur
from engine.queries.clauses import AnyTerm, atom, clause


def points_to(new: Plan, assign: Plan, load: Plan, store: Plan, *, heap: bool = False) -> Fixpoint:
    """Return which variable may point to which object; or, of the ``heap``, which object to which.

    points(v, o) :- new(v, o).
    points(v, o) :- assign(v, w), points(w, o).
    points(v, o) :- load(v, w), points(w, p), held(p, o).
    held(p, o)   :- store(v, w), points(v, p), points(w, o).
    """
    variable, target = (column.name for column in new.columns)
    held_columns = (replace(new.columns[1], name="holder"), new.columns[1])
    points, held = Recur(0, new.columns), Recur(1, held_columns)
    head: dict[str, AnyTerm] = {variable: "v", target: "o"}
    assigned = clause(head, atom(assign, "v", "w"), atom(points, "w", "o"))
    loaded = clause(head, atom(load, "v", "w"), atom(points, "w", "p"), atom(held, "p", "o"))
    stored = clause(
        {"holder": "p", target: "o"}, atom(store, "v", "w"), atom(points, "v", "p"), atom(points, "w", "o")
    )
    definitions = (
        Definition("points_to", new.columns, (new, assigned, loaded)),
        Definition("held", held_columns, (stored,)),
    )
    return Fixpoint(definitions, output=int(heap))
