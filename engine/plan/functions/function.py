"""What a scalar function is, and the usual ways to declare one.

    function  =  name × (types → type) × (values → value) × (site → text)

A site may run a function only where it has a rendering, and a rendering stands only where the
conformance test finds the site's answers equal to ours on NULL, extremes and Unicode. So arithmetic of
doubles, whose overflow differs between sites, has none. SQLite runs in our own process: ``ours_f`` there
is the meaning of f itself.
"""

from dataclasses import dataclass, field, replace

from engine.model.values import Type
from engine.plan.meanings import Meaning, strict, strict_two
from engine.plan.signatures import NUMBER, Signature, takes


@dataclass(frozen=True, slots=True)
class Function:
    """``expects`` completes the sentence «f takes …»; ``renderings`` are templates by site."""

    name: str
    signature: Signature
    meaning: Meaning
    expects: str
    template: str
    renderings: dict[str, str] = field(default_factory=dict)

    @property
    def is_named(self) -> bool:
        """Tell whether it is called by its name, with its arguments in brackets."""
        return self.template.startswith(f"{self.name}(")

    def at(self, **renderings: str) -> "Function":
        """Return it as more sites write it: ``database`` is any, ``sqlite`` that alone, by ``ours_…``."""
        return replace(self, renderings={**self.renderings, **renderings})

    def giving(self, *kinds: Type, **renderings: str) -> "Function":
        """Return it as more sites write it where the result is of one of these types, and no other."""
        return self.at(**{f"{site} {kind}": text for site, text in renderings.items() for kind in kinds})

    def rendering(self, site: str, kind: Type) -> str | None:
        """Return how a site writes it where the result is of a type, if it may."""
        return self.renderings.get(f"{site} {kind}", self.renderings.get(site))

    def shown(self, *args: str) -> str:
        """Write a call for people."""
        return self.template.format(*args, all=", ".join(args))


def everywhere(template: str) -> dict[str, str]:
    """Return one rendering for the stream site and the database site."""
    return {"spark": template, "database": template}


def named(name: str, signature: Signature, function: Meaning, expects: str) -> Function:
    """Return a function that is NULL where an argument is, or where there is no result."""
    return knowing(name, signature, strict(function), expects)


def knowing(name: str, signature: Signature, meaning: Meaning, expects: str) -> Function:
    """Return a function that has its own way with NULL."""
    return Function(name, signature, meaning, expects, f"{name}({{all}})")


def arithmetic(symbol: str, function: Meaning) -> Function:
    signature = takes(NUMBER, NUMBER, result=NUMBER)
    return Function(symbol, signature, strict_two(function), "two numbers", f"({{0}} {symbol} {{1}})")


def conversion(target: Type, source: Type, function: Meaning) -> Function:
    name, signature = f"{target}_of_{source}", takes(source, result=target)
    return Function(name, signature, strict(function), f"a {source}", f"CAST({{0}} AS {target})")
