"""The parser's hooks for our statements: each begins with a word of its own.

    CREATE  DROP  INSERT  DELETE  SHOW  DESCRIBE  EXPLAIN  DATALOG       and SELECT, WITH and ( begin a query
    :name  stands for a value that is given when the query is asked

Private hooks overridden: ``Parser._parse_statement``.
"""

from collections.abc import Callable
from typing import Any, ClassVar

from sqlglot import exp
from sqlglot.tokenizer_core import TokenType

from engine.lang.streamsql.elsewhere import STATEMENTS as ELSEWHERE
from engine.lang.streamsql.grammar.declaring import DeclaringParser
from engine.lang.streamsql.grammar.directions import DirectionParser
from engine.lang.streamsql.grammar.explaining import QUERIES, ExplainingParser
from engine.lang.streamsql.grammar.nodes import (
    DropNode,
    ProgramNode,
    ShowNode,
    ViewNode,
    placed,
)
from engine.lang.streamsql.grammar.recursive_syntax import named_query
from engine.lang.streamsql.grammar.words import listed, span_of
from engine.lang.streamsql.spans import blanked
from engine.model.errors import Span

KINDS = ("VIEW", "STREAM", "TABLE")
SHOWN = ("VIEWS", "STREAMS", "TABLES", "FUNCTIONS", "COLUMNS", "CREATE")
OTHER_VIEWS = ("MATERIALIZED", "TEMPORARY", "TEMP")
BEGINNINGS = (
    "SELECT", "WITH", "CREATE", "DROP", "INSERT", "DELETE", "SHOW", "DESCRIBE", "EXPLAIN", "DATALOG",
)  # fmt: skip


class StatementParser(DirectionParser, DeclaringParser, ExplainingParser):
    """Reads statements of ours, and nothing that only sqlglot knows."""

    _is_inside = False
    PLACEHOLDER_PARSERS: ClassVar[Any] = {TokenType.COLON: lambda self: self._read_named_parameter()}

    def _parse_statement(self) -> Any:
        first = self._curr
        if not first:
            return None
        hook = HOOKS.get(first.text.upper())
        if hook is not None and first.token_type is not TokenType.IDENTIFIER:
            self._advance()
            return hook(self)
        if first.token_type in QUERIES:
            return self._read_directed()
        if instead := ELSEWHERE.get(first.text.upper()):
            refusal = self._refused(f"{first.text.upper()} is not part of StreamSQL", f"; {instead}")
            raise refusal
        refusal = self._expected(f"a statement, which begins with {listed(BEGINNINGS)}", BEGINNINGS)
        raise refusal

    def _read_query(self) -> Any:
        """Read a query with what follows it."""
        if self._match_text_seq("DATALOG"):
            return self._read_program()
        if not self._curr or self._curr.token_type not in QUERIES:
            words = ("SELECT", "WITH", "DATALOG")
            refusal = self._expected(f"a query, which begins with {listed(words)}", words)
            raise refusal
        return self._read_directed()

    def _read_directed(self) -> Any:
        """Read a query; what may follow it does so at its very end, not inside WITH."""
        if self._is_inside:
            return super()._parse_statement()
        self._is_inside = True
        try:
            query = super()._parse_statement()
        finally:
            self._is_inside = False
        return self._read_directions(query)

    def _read_program(self) -> Any:
        if not self._match(TokenType.HEREDOC_STRING):
            refusal = self._expected("$$ program $$ after DATALOG")
            raise refusal
        token = self._prev
        begins = token.start + (token.end + 1 - token.start - len(token.text)) // 2
        program = ProgramNode(this=blanked(self.sql[:begins]) + token.text)
        return self._read_directions(placed(program, span_of(token)))

    def _read_creation(self) -> Any:
        replaces = self._match_text_seq("OR", "REPLACE")
        is_recursive = bool(self._match(TokenType.RECURSIVE))
        if self._match_texts(OTHER_VIEWS):
            kind = self._prev.text.upper()
            refusal = self._refused(f"{kind} is not part of StreamSQL", "; every view is kept current")
            raise refusal
        kind = self._one_of(("VIEW",) if is_recursive else KINDS, "after CREATE")
        exists = self._match_text_seq("IF", "NOT", "EXISTS")
        name = self._name(f"the name of the {kind}")
        if kind != "VIEW":
            if replaces:
                refusal = self._refused(f"OR REPLACE goes with VIEW; DROP {kind} first")
                raise refusal
            return self._read_relation(kind, name, exists)
        columns = self._parse_wrapped_id_vars() if self._is_at(TokenType.L_PAREN) else []
        options = self._read_options("WITH (history = '30 days')")
        self._insist("AS", f"AS and a query after CREATE VIEW {name.name}")
        query = self._read_query()
        if is_recursive or columns:
            query = named_query(name, columns, query, is_recursive)
        return ViewNode(this=name, expression=query, replace=replaces, exists=exists, options=options)

    def _read_dropping(self) -> Any:
        kind = self._one_of(KINDS, "after DROP")
        exists = self._match_text_seq("IF", "EXISTS")
        names = self._parse_csv(lambda: self._name(f"the name of the {kind}"))
        return DropNode(kind=kind, expressions=names, exists=exists)

    def _read_showing(self) -> Any:
        kind = self._one_of(SHOWN, "after SHOW")
        if kind == "CREATE":
            self._insist("VIEW", "VIEW and its name after SHOW CREATE")
            return ShowNode(kind=kind, this=self._name("the name of the view"))
        if kind != "COLUMNS":
            return ShowNode(kind=kind)
        self._insist("FROM", "FROM and a relation after SHOW COLUMNS")
        return ShowNode(kind=kind, this=self._name("a relation or view"))

    def _read_description(self) -> Any:
        return ShowNode(kind="COLUMNS", this=self._name("a relation or view"))

    def _read_named_parameter(self) -> Any:
        colon, name = self._prev, self._curr
        if not name or not name.text.isidentifier():
            return None
        self._advance()
        return placed(exp.Placeholder(this=name.text.lower()), Span(colon.line, colon.start, name.end + 1))


HOOKS: dict[str, Callable[[StatementParser], Any]] = {
    "CREATE": StatementParser._read_creation,
    "DROP": StatementParser._read_dropping,
    "INSERT": StatementParser._read_insertion,
    "DELETE": StatementParser._read_deletion,
    "SHOW": StatementParser._read_showing,
    "DESCRIBE": StatementParser._read_description,
    "EXPLAIN": StatementParser._read_explanation,
    "DATALOG": StatementParser._read_program,
}
