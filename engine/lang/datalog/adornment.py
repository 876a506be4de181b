"""Adorned rules: of a relation that is asked by some of its columns, and what asks it.

    path(x, z) :- edge(x, y), path(y, z)     asked by bf:

    path/bf(x, z) :- path/bf?(x), edge(x, y), path/bf(y, z).
    path/bf?(y)   :- path/bf?(x), edge(x, y).

Arguments are handed on from left to right, the atom of which most is bound next.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from engine.lang.datalog import tree as t
from engine.lang.datalog.declared import Checked, TypedRule
from engine.lang.datalog.normal import Rule, SimpleLiteral
from engine.lang.datalog.safety import is_computable, pattern_variables

Pattern = str
Asked = tuple[str, Pattern]


@dataclass
class Magic:
    """Makes adorned rules on demand."""

    source: Checked
    given: Mapping[str, Pattern]
    rules: list[TypedRule] = field(default_factory=list)
    relations: dict[str, tuple[tuple[str, str], ...]] = field(default_factory=dict)
    done: dict[Asked, None] = field(default_factory=dict)
    waiting: list[Asked] = field(default_factory=list)
    masks: dict[str, Pattern] = field(init=False)

    def __post_init__(self) -> None:
        self.masks = dict(self.given)

    def program(self, roots: Iterable[str]) -> Checked:
        names = set(roots)
        for each in self.source.rules:
            self.rules.append(self._root(each) if each.rule.head.relation in names else each)
        while self.waiting:
            self._adorn(self.waiting.pop())
        relations = {**self.source.relations, **self.relations}
        return replace(self.source, rules=tuple(self.rules), relations=relations)

    def _root(self, found: TypedRule) -> TypedRule:
        """Ask for what a root's rule calls with constants."""
        constants = constants_of(found.rule)
        body: list[SimpleLiteral] = []
        for literal in found.rule.body:
            if isinstance(literal, t.Atom):
                args = tuple(
                    constants.get(a.name, a) if isinstance(a, t.Variable) else a for a in literal.args
                )
                pattern = self._pattern(literal.relation, [isinstance(arg, t.Constant) for arg in args])
                if pattern:
                    self._seed(replace(literal, args=args), pattern, found)
                    literal = replace(literal, relation=self._ask(literal.relation, pattern))
            body.append(literal)
        return replace(found, rule=replace(found.rule, body=tuple(body)))

    def _pattern(self, relation: str, is_bound: list[bool]) -> Pattern:
        """Return by which columns a relation may be asked; the more ways, the fewer columns are common."""
        mask = self.given.get(relation, "")
        pattern = "".join(
            "b" if each and sign == "b" else "f" for each, sign in zip(is_bound, mask, strict=False)
        )
        if mask:
            self.masks[relation] = met(self.masks[relation], pattern)
        return pattern if "b" in pattern else ""

    def _seed(self, atom: t.Atom, pattern: Pattern, found: TypedRule) -> None:
        head = t.Atom(question(self._ask(atom.relation, pattern)), bound_args(atom, pattern), atom.span)
        self.rules.append(TypedRule(Rule(head, (), atom.span), found.kinds))

    def _ask(self, relation: str, pattern: Pattern) -> str:
        """Return the name of an adorned relation, whose rules are made if they are not yet."""
        name = f"{relation}/{pattern}"
        if (relation, pattern) not in self.done:
            self.done[relation, pattern] = None
            self.waiting.append((relation, pattern))
            fields = self.source.relations[relation]
            self.relations[name] = fields
            chosen = tuple(each for each, sign in zip(fields, pattern, strict=True) if sign == "b")
            self.relations[question(name)] = chosen
        return name

    def _adorn(self, asked: Asked) -> None:
        relation, pattern = asked
        name = f"{relation}/{pattern}"
        for each in self.source.rules:
            if each.rule.head.relation == relation:
                self._adorned(each, name, pattern)

    def _adorned(self, found: TypedRule, name: str, pattern: Pattern) -> None:
        """Make a rule's adorned form, and the rules that ask for what it reads."""
        head = found.rule.head
        asks = t.Atom(question(name), bound_args(head, pattern), head.span)
        bound = {each for arg in asks.args for each in pattern_variables(arg)}
        left = [asks]
        for atom in in_order(found.rule, bound):
            signs = self._pattern(atom.relation, [is_handed_on(arg, bound) for arg in atom.args])
            if signs:
                adorned = self._ask(atom.relation, signs)
                self._hand_on(
                    t.Atom(question(adorned), bound_args(atom, signs), atom.span), left, bound, found
                )
                atom = replace(atom, relation=adorned)
            left.append(atom)
            bound |= {each for arg in atom.args for each in pattern_variables(arg)}
        others = [each for each in found.rule.body if not isinstance(each, t.Atom)]
        rule = Rule(replace(head, relation=name), (*left, *others), found.rule.span)
        self.rules.append(TypedRule(rule, found.kinds))

    def _hand_on(self, head: t.Atom, left: list[t.Atom], bound: set[str], found: TypedRule) -> None:
        """Ask for a row where the literals before it hold, unless that asks for what was asked."""
        if head in left:
            return
        tests = [each for each in found.rule.body if is_test(each, bound)]
        body = [relaxed(each, bound) for each in left]
        self.rules.append(TypedRule(Rule(head, (*body, *tests), found.rule.span), found.kinds))


def met(one: Pattern, other: Pattern) -> Pattern:
    """Return a pattern of the columns that two have in common."""
    return "".join("b" if a == b == "b" else "f" for a, b in zip(one, other, strict=True))


def question(name: str) -> str:
    return f"{name}?"


def bound_args(atom: t.Atom, pattern: Pattern) -> tuple[t.Term, ...]:
    return tuple(arg for arg, sign in zip(atom.args, pattern, strict=True) if sign == "b")


def is_handed_on(arg: t.Term, bound: set[str]) -> bool:
    return isinstance(arg, t.Constant) or (isinstance(arg, t.Variable) and arg.name in bound)


def relaxed(atom: t.Atom, bound: set[str]) -> t.Atom:
    """Return an atom that asks nothing of what is computed later."""
    return replace(atom, args=tuple(without(arg, bound) for arg in atom.args))


def without(arg: t.Term, bound: set[str]) -> t.Term:
    match arg:
        case t.Record(args, is_nil=False):
            return replace(arg, args=tuple(without(each, bound) for each in args))
        case t.Functor() if not is_computable(arg, bound):
            return t.Wildcard(arg.span)
    return arg


def is_test(literal: SimpleLiteral, bound: set[str]) -> bool:
    """Tell whether a comparison only asks about what is bound."""
    return isinstance(literal, t.Comparison) and all(
        is_computable(side, bound) for side in (literal.left, literal.right)
    )


def constants_of(rule: Rule) -> Mapping[str, t.Constant]:
    """Return the variables that a rule says are constants."""
    found: dict[str, t.Constant] = {}
    for literal in rule.body:
        if isinstance(literal, t.Comparison) and literal.operator == "=":
            for one, other in ((literal.left, literal.right), (literal.right, literal.left)):
                if isinstance(one, t.Variable) and isinstance(other, t.Constant):
                    found[one.name] = other
    return found


def in_order(rule: Rule, bound: set[str]) -> list[t.Atom]:
    """Return a body's atoms, next the one of which most arguments are bound by those before it."""
    waiting = [each for each in rule.body if isinstance(each, t.Atom)]
    known, ordered = set(bound), []
    while waiting:
        chosen = max(waiting, key=lambda atom: sum(is_handed_on(arg, known) for arg in atom.args))
        waiting.remove(chosen)
        ordered.append(chosen)
        known |= {each for arg in chosen.args for each in pattern_variables(arg)}
    return ordered
