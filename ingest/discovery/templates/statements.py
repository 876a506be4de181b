"""A template as a whole: text, expressions, if and set; what it makes is their text, one after the other.

A template that is one expression and nothing else is that expression's value, not yet made a text.
"""

from collections.abc import Callable, Sequence
from typing import Any

from jinja2 import nodes

from ingest.discovery.message import Message
from ingest.discovery.templates import bounds
from ingest.discovery.templates.expressions import Expressions
from ingest.discovery.templates.scope import Code, Scope, TemplateError

Run = Callable[[Message], Any]


def template_of(tree: nodes.Template) -> Run:
    """Return the function of a message that a template is."""
    compiler = Statements()
    lone = _lone_expression(tree.body)
    code = compiler.statements(tree.body) if lone is None else compiler.expressions.compile(lone)
    return lambda message: code(Scope(message))


def _lone_expression(body: Sequence[nodes.Node]) -> nodes.Node | None:
    if len(body) != 1 or not isinstance(body[0], nodes.Output) or len(body[0].nodes) != 1:
        return None
    (lone,) = body[0].nodes
    return None if isinstance(lone, nodes.TemplateData) else lone


class Statements:
    """Compiles the statements of one template."""

    def __init__(self) -> None:
        self.expressions = Expressions()

    def statements(self, body: Sequence[nodes.Node]) -> Code:
        """Return what makes the text of one statement after the other."""
        codes = [self._statement(each) for each in body]
        return lambda scope: bounds.joined([code(scope) for code in codes])

    def _statement(self, node: nodes.Node) -> Code:
        self.expressions.count()
        if isinstance(node, nodes.Output):
            parts = [self.expressions.compile(each) for each in node.nodes]
            return lambda scope: bounds.joined([bounds.shown(scope.spend(part(scope))) for part in parts])
        if isinstance(node, nodes.If):
            return self._if(node)
        if isinstance(node, nodes.Assign) and isinstance(node.target, nodes.Name):
            return self._assign(node.target.name, self.expressions.compile(node.node))
        msg = f"the template has {{% {type(node).__name__.lower()} %}}; expected if, set or {{{{ … }}}} alone"
        raise TemplateError(msg)

    def _if(self, node: nodes.If) -> Code:
        arms = [
            (self.expressions.compile(each.test), self.statements(each.body)) for each in (node, *node.elif_)
        ]
        otherwise = self.statements(node.else_)

        def run(scope: Scope) -> Any:
            for test, body in arms:
                if test(scope):
                    return body(scope)
            return otherwise(scope)

        return run

    def _assign(self, name: str, value: Code) -> Code:
        self.expressions.assigned.add(name)

        def run(scope: Scope) -> str:
            scope.names[name] = value(scope)
            return ""

        return run
