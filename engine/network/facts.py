"""Facts as tokens, and what one site knows of a traversal of the facts that hold each other up."""

from dataclasses import dataclass, field
from itertools import count

from engine.model.values import Row
from engine.network.channels import Address
from engine.provenance.algebra import Token

Notes = dict[tuple[Address, str], set[Token]]
Fact = tuple[int, Row]


class Tokens:
    """Numbers for facts, and where each derived one lives, which its number would carry as a prefix."""

    def __init__(self) -> None:
        self._numbers = count(1)
        self.homes: dict[Token, Address] = {}

    def fresh(self) -> Token:
        return next(self._numbers)

    def derived(self, home: Address) -> Token:
        token = self.fresh()
        self.homes[token] = home
        return token


@dataclass
class Traversal:
    """What one site knows of the traversal that is going on."""

    visited: set[Token] = field(default_factory=set)
    proven: set[Token] = field(default_factory=set)
    asked: set[Token] = field(default_factory=set)
    askers: dict[Token, set[Address]] = field(default_factory=dict)
    needed_by: dict[Token, set[Token]] = field(default_factory=dict)
