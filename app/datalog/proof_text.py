"""A proof as text, each fact under what it proves.

    path("a", "c")
      path(x, z) :- path(x, y), edge(y, z), !shut(z).
        path("a", "b")  …
        edge("b", "c")  is a fact
        nothing matches shut("c")

A fact that is proved above is not proved again.
"""

from collections.abc import Callable

from app.datalog.proof import Pattern, Prover, Step
from app.datalog.rules import Ruled
from engine.model.values import Row
from engine.views.why.match import Fact

INDENT = "  "
Show = Callable[[int, Row], str]


class ProofText:
    """Writes a proof for people."""

    def __init__(
        self, rules: Ruled, prover: Prover, show: Show, pattern: Callable[[int, Pattern], str]
    ) -> None:
        self._rules = rules
        self._prover = prover
        self._show = show
        self._pattern = pattern

    def lines(self, goal: Fact, proof: dict[Fact, Step | None]) -> list[str]:
        """Return the proof, top down, without recursion: it may be as deep as a path is long."""
        lines: list[str] = []
        told: set[Fact] = set()
        unseen: list[tuple[int, Fact | str]] = [(0, goal)]
        while unseen:
            depth, each = unseen.pop()
            if isinstance(each, str):
                lines.append(INDENT * depth + each)
                continue
            step = proof[each]
            lines.append(INDENT * depth + self._show(*each) + self._note(each, step, told))
            if step is not None and each not in told:
                lines.append(INDENT * (depth + 1) + self._rules.texts[step.rule])
                unseen += reversed([(depth + 2, below) for below in self._below(step)])
            told.add(each)
        return lines

    def _note(self, fact: Fact, step: Step | None, told: set[Fact]) -> str:
        if step is None:
            return "  is a fact" if self._rules.name(fact[0]) is not None else ""
        return "  as above" if fact in told and self._below(step) else ""

    def _below(self, step: Step) -> list[Fact | str]:
        facts: list[Fact | str] = [part for part in step.body if part[1] or self._rules.name(part[0])]
        absent = [self._pattern(*each) for each in self._prover.absent(step)]
        return facts + [f"nothing matches {each}" for each in absent]
