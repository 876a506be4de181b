"""Random programs' networks under random changes: views, deltas, witnesses, provenance against recomputation.

fuzz_network(steps, seed)        raises ``Wrong`` with what it takes to see it again
fuzz_windows(steps, seed)        base relations of every kind, whose rows expire
fuzz_peers(steps, seed)          the schemes that absorption is compared with
"""

from collections.abc import Callable, Iterator
from random import Random
from typing import Any, NamedTuple

from engine.model.values import Row, Type, Value
from engine.network.dred import DRed
from engine.network.network import Network
from engine.network.relative import Relative
from engine.operators.base_tokens import Kind
from engine.operators.ship import EAGER, LAZY, Policy
from engine.plan.logical import Fixpoint
from engine.plan.program import Program, to_program
from engine.provenance.absorption import Absorption
from engine.provenance.why import Why
from tests.base_rows import BaseRows, any_kinds, sets
from tests.naive_rules import Derivations, Monomials, Sets, evaluate, minimal, token
from tests.random_programs import Maker
from tests.rules import program

REACHABLE = program("reach(x, y) :- link(x, y)", "reach(x, y) :- link(x, z), reach(z, y)")
NON_LINEAR = program("reach(x, y) :- link(x, y)", "reach(x, y) :- reach(x, z), reach(z, y)")
SAME_GENERATION = program("same(x, y) :- up(x, u), up(y, u)", "same(x, y) :- up(x, u), same(u, v), up(y, v)")
MUTUAL = program(
    "odd(x, y) :- link(x, y)",
    "even(x, y) :- odd(x, z), link(z, y)",
    "odd(x, y) :- link(x, z), even(z, y)",
    "both(x) :- odd(x, x), even(x, y)",
)
GUARDED = program(
    "hot(x) :- seed(x)",
    "hot(y) :- hot(x), near(x, y, w), w < 3, warm(y)",
    "edge(x, y) :- near(x, y, w), hot(x), hot(y)",
)
CROSS = program("pair(x, y) :- a(x), b(y)", "a2(x) :- pair(x, y), b(x)", "pair(x, y) :- a2(x), a2(y)")
CHEAPEST = program(
    "path(x, y, c) :- edge(x, y, c)",
    "path(x, y, c + w) :- edge(x, z, w), path(z, y, c)",
    best={"path": ((0, 1), "min 2")},
)
TWO_BESTS = program(
    "path(x, y, c, n) :- edge(x, y, c, n)",
    "path(x, y, c + w, n + one) :- edge(x, z, w, one), path(z, y, c, n)",
    best={"path": ((0, 1), "min 2, min 3")},
)
WIDEST = program(
    "path(x, y, c) :- edge(x, y, c)",
    "path(x, y, c min w) :- edge(x, z, w), path(z, y, c)",
    best={"path": ((0, 1), "max 2")},
)
ANY = "random rules"
PROGRAMS = {
    "reachable": REACHABLE,
    "non-linear": NON_LINEAR,
    "same generation": SAME_GENERATION,
    "mutual": MUTUAL,
    "guarded": GUARDED,
    "cross": CROSS,
    "cheapest": CHEAPEST,
    "two bests": TWO_BESTS,
    "widest": WIDEST,
}
WITHOUT_BEST = tuple(name for name, each in PROGRAMS.items() if not any(d.best for d in each.definitions))
POLICIES = (None, EAGER, LAZY, Policy(count=3), Policy(age=2))
Make = Callable[[Program, int, Policy | None], Any]


class Wrong(AssertionError):
    """A network differed from recomputation."""


class Trial(NamedTuple):
    """One network's life: ``overlap`` is how likely a change comes while others are under way."""

    name: str
    program: Program
    sites: int
    policy: Policy | None
    overlap: float
    events: int
    seed: int
    batch: int = 3
    kinds: tuple[Kind, ...] | None = None


def make_network(rules: Program, sites: int, policy: Policy | None) -> Network[Any]:
    return Network(rules, Absorption, sites, policy)


def make_windows(trial: Trial) -> Make:
    """Make the network of a trial whose base relations are of the trial's kinds."""

    def make(rules: Program, sites: int, policy: Policy | None) -> Network[Any]:
        return Network(rules, Absorption, sites, policy, kinds=dict(enumerate(trial.kinds or ())))

    return make


def make_dred(rules: Program, sites: int, policy: Policy | None) -> DRed:
    return DRed(rules, sites)


def make_relative(rules: Program, sites: int, policy: Policy | None) -> Relative:
    return Relative(rules, sites, policy or LAZY)


def fuzz_network(steps: int, seed: int) -> int:
    """Run trials until so many changes were made; return how many states were compared."""
    random = Random(seed)
    compared = 0
    while steps > 0:
        trial = random_trial(random)
        compared += run(trial, make_network)
        steps -= trial.events
    return compared


def fuzz_windows(steps: int, seed: int) -> int:
    """The same over base relations that are sets, keyed or bags, and most of them windows."""
    random = Random(seed)
    compared = 0
    while steps > 0:
        trial = random_trial(random, events=24)
        windows = trial._replace(kinds=any_kinds(trial.program, random))
        compared += run(windows, make_windows(windows))
        steps -= trial.events
    return compared


def fuzz_peers(steps: int, seed: int) -> int:
    """The same for delete-and-rederive and for relative provenance."""
    random = Random(seed)
    compared = 0
    while steps > 0:
        trial = random_trial(random, WITHOUT_BEST)
        compared += run_peer(trial, make_dred) + run_peer(trial, make_relative)
        steps -= 2 * trial.events
    return compared


def random_trial(random: Random, names: tuple[str, ...] = (*PROGRAMS, ANY, ANY), events: int = 14) -> Trial:
    name, seed = random.choice(names), random.randrange(10**9)
    sites, policy = random.choice((1, 2, 3, 4)), random.choice(POLICIES)
    overlap = random.choice((0.0, 0.5, 0.9))
    rules = random_rules(Random(seed)) if name == ANY else PROGRAMS[name]
    return Trial(name, rules, sites, policy, overlap, events, seed)


def random_rules(random: Random) -> Program:
    """Any stratum of the random programs without negated literals; what is closed around it is its input."""
    maker = Maker(random)
    maker.program()
    kinds = (maker.free_rules, maker.free_rules, maker.closure, maker.best_paths)
    while True:
        plan = random.choice(kinds)()
        found = to_program(plan)[0] if isinstance(plan, Fixpoint) else None
        if found is not None and not any(rule.negated for rule in found.rules):
            return found


def run(trial: Trial, make: Make) -> int:
    """Live through a trial; return how many states were compared."""
    life = Life(trial, make)
    for _ in range(trial.events):
        life.change()
        if trial.kinds:
            life.insert_again()
        life.advance()
        if life.random.random() < trial.overlap:
            life.deliver_some()
        else:
            life.compare()
    life.compare()
    life.compare_provenance()
    return life.compared


def run_peer(trial: Trial, make: Make) -> int:
    """The same for a scheme that works off its changes one by one and has no provenance to compare."""
    life = Life(trial, make)
    for _ in range(trial.events):
        life.change()
        if life.random.random() >= trial.overlap:
            life.compare(witness=False)
    life.compare(witness=False)
    return life.compared


class Life:
    """A network beside the base rows that it was told, and the view that its deltas add up to."""

    def __init__(self, trial: Trial, make: Make) -> None:
        self.trial, self.program = trial, trial.program
        self.random = Random(trial.seed)
        self.network = make(trial.program, trial.sites, trial.policy)
        self.live = [BaseRows(kind) for kind in trial.kinds or sets(self.program)]
        self.gone: list[set[Row]] = [set() for _ in self.program.inputs]
        self.told: dict[int, set[Row]] = {relation: set() for relation in self.defined()}
        self.compared = 0
        self.now = 0

    def defined(self) -> range:
        return range(len(self.program.inputs), len(self.program.inputs) + len(self.program.definitions))

    def change(self) -> None:
        """Insert, delete or both, one row or a few; often what was there before comes again."""
        random = self.random
        relation = random.randrange(len(self.live))
        live, gone = self.live[relation], self.gone[relation]
        for _ in range(min(self.trial.batch, random.choice((1, 1, 1, 2, 3)))):
            if live.listed and random.random() < 0.45:
                standing = sorted(live.standing)
                dead = random.sample(standing, min(len(standing), random.choice((1, 1, 2))))
                for row in dead:
                    live.delete(row)
                gone.update(dead)
                self.network.delete(relation, dead)
            else:
                again = gone and random.random() < 0.6
                row = random.choice(sorted(gone)) if again else self.row(relation)
                live.insert(row, self.now)
                self.network.insert(relation, [row])

    def advance(self) -> None:
        """Let time go on; what expires may be inserted again, like what was deleted."""
        self.now += 1
        if self.trial.kinds:
            self.now += self.random.choice((0, 0, 0, 1, 4))
        self.network.advance(self.now)
        for live, gone in zip(self.live, self.gone, strict=True):
            before = live.standing
            live.expire(self.now)
            gone.update(before - live.standing)

    def insert_again(self) -> None:
        """Insert rows that are there: a set renews them, a bag has them once more."""
        for relation, live in enumerate(self.live):
            again = [row for row in sorted(live.standing) if self.random.random() < 0.15]
            for row in again:
                live.insert(row, self.now)
            self.network.insert(relation, again)

    def row(self, relation: int) -> Row:
        return tuple(self.value(i, column.type) for i, column in enumerate(self.program.inputs[relation]))

    def value(self, position: int, kind: Type) -> Value:
        if kind is Type.TEXT:
            return self.random.choice("abcde")
        return self.random.randrange(5) if position < 2 else self.random.choice((1, 2, 3))

    def deliver_some(self) -> None:
        for _ in range(self.random.randrange(6)):
            if not self.network.channels.are_empty:
                self.network.channels.deliver_any(self.random)
        self.network.recycle()

    def compare(self, *, witness: bool = True) -> None:
        """Settle, and hold views and deltas against recomputation."""
        self.compared += 1
        self.network.settle(self.random)
        expected = evaluate(self.program, [dict.fromkeys(rows.standing, True) for rows in self.live], Sets())
        for relation, delta in self.network.close().items():
            rows = set(expected[relation])
            came = {row for row, sign in delta.items() if sign > 0}
            went = {row for row, sign in delta.items() if sign < 0}
            self.check(came == rows - self.told[relation], "rows that came", came)
            self.check(went == self.told[relation] - rows, "rows that went", went)
            self.check(set(self.network.view(relation)) == rows, "a view", rows)
            self.told[relation] = rows
        if witness:
            self.compare_a_witness()

    def compare_a_witness(self) -> None:
        """One derivation of one row, alone, must derive the row."""
        pairs = [(relation, row) for relation in self.defined() for row in sorted(self.told[relation])]
        if not pairs:
            return
        relation, row = self.random.choice(pairs)
        for witness in sorted(map(sorted, self.monomials(relation)[row]))[:1]:
            alone: list[dict[Row, Any]] = [{} for _ in self.live]
            for base, origin in witness:
                alone[base][origin] = True
                self.check(origin in self.live[base].standing, "a witness of dead rows", witness)
            self.check(row in evaluate(self.program, alone, Sets())[relation], "a witness", witness)

    def compare_provenance(self) -> None:
        """After a flush, each annotation holds exactly the minimal derivations."""
        self.network.flush(self.random)
        if any(each.best for each in self.program.definitions):
            return
        inputs = [{row: token((base, row)) for row in rows.standing} for base, rows in enumerate(self.live)]
        expected = evaluate(self.program, inputs, Derivations())
        for relation in self.defined():
            self.check(self.monomials(relation) == expected[relation], "provenance", relation)

    def monomials(self, relation: int) -> dict[Row, Monomials]:
        """Each row's minimal derivations, as base rows."""
        origins = {
            name: (base, row)
            for base, rows in enumerate(self.live)
            for row in rows.standing
            for name in self.network.bases[base].tokens_of(row)
        }
        found = {row: a for site in self.network.sites for row, a in annotations(site, relation)}
        for row, monomials in found.items():
            self.check(all(m <= origins.keys() for m in monomials), "dead rows in the annotation of", row)
        return {
            row: frozenset(frozenset(origins[name] for name in monomial) for monomial in monomials)
            for row, monomials in found.items()
        }

    def check(self, holds: bool, what: str, found: Any) -> None:
        if not holds:
            message = f"{what}: {found} in {self.trial._replace(program=None)}"  # type: ignore[arg-type]
            raise Wrong(message)


def annotations(site: Any, relation: int) -> Iterator[tuple[Row, Monomials]]:
    for row, annotation in site.fixpoints[relation].rows().items():
        is_readable = isinstance(site.algebra, Why)
        yield row, annotation if is_readable else implicants(site.algebra.to_plain(annotation))


def implicants(plain: Any) -> Monomials:
    """The prime implicants of a positive function in its plain form."""
    root, entries = plain
    found: list[Monomials] = [frozenset(), frozenset({frozenset()})]
    for name, low, high in entries:
        found.append(minimal(found[low] | {monomial | {name} for monomial in found[high]}))
    return found[root]
