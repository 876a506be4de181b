"""The parser's hooks for our statements: each begins with a word of its own.

    CREATE  DROP  INSERT  DELETE  SHOW  DESCRIBE  EXPLAIN  DATALOG       and SELECT, WITH and ( begin a query
    query [OUTPUT TO kind 'target', …] [LIMITED TO ROWS n, STATE n unit, TIME n unit, ROUNDS n]
    :name  stands for a value that is given when the query is asked

Private hooks overridden: ``Parser._parse_statement``.
"""

from collections.abc import Callable
from typing import Any, ClassVar

from sqlglot import exp
from sqlglot.tokenizer_core import TokenType

from engine.lang.streamsql.elsewhere import STATEMENTS as ELSEWHERE
from engine.lang.streamsql.grammar.nodes import (
    ColumnNode,
    DirectedNode,
    DropNode,
    ExplainNode,
    ProgramNode,
    RelationNode,
    ShowNode,
    ViewNode,
    WhyNode,
    placed,
)
from engine.lang.streamsql.grammar.recursive_syntax import named_query
from engine.lang.streamsql.grammar.words import listed, span_of
from engine.lang.streamsql.spans import blanked
from engine.lang.streamsql.statements.writing import WritingParser
from engine.model.errors import Span

# Two words that are one token, so that neither is taken for an alias; sqlglot has no other use for these.
OUTPUT_TO, LIMITED_TO = TokenType.URI_START, TokenType.HIVE_TOKEN_STREAM
KINDS = ("VIEW", "STREAM", "TABLE")
SHOWN = ("VIEWS", "STREAMS", "TABLES", "FUNCTIONS", "COLUMNS", "CREATE")
OUTPUTS = ("DISPLAY", "ALARM", "MQTT")
OTHER_VIEWS = ("MATERIALIZED", "TEMPORARY", "TEMP")
LIMITS = ("ROWS", "STATE", "TIME", "ROUNDS")
ENDS_LIMIT = (TokenType.COMMA, OUTPUT_TO, LIMITED_TO)
BEGINNINGS = (
    "SELECT", "WITH", "CREATE", "DROP", "INSERT", "DELETE", "SHOW", "DESCRIBE", "EXPLAIN", "DATALOG",
)  # fmt: skip
QUERIES = frozenset({TokenType.SELECT, TokenType.WITH, TokenType.L_PAREN, TokenType.VALUES})


class StatementParser(WritingParser):
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

    def _read_directions(self, query: Any) -> Any:
        outputs: list[tuple[str, str, Span]] = []
        limits: dict[str, exp.Var] = {}
        while self._match(OUTPUT_TO) or self._match(LIMITED_TO):
            if self._prev.token_type is OUTPUT_TO:
                outputs += self._parse_csv(self._read_output)
            else:
                limits.update(self._parse_csv(self._read_limit))
        return DirectedNode(this=query, outputs=outputs, limits=limits) if outputs or limits else query

    def _read_output(self) -> tuple[str, str, Span]:
        begins = self._curr
        kind = self._one_of(OUTPUTS, "after OUTPUT TO")
        is_named = kind != "ALARM" or self._is_at(TokenType.STRING)
        target = self._text(f"the name of a {kind} in quotes") if is_named else ""
        return kind, target, span_of(begins)._replace(end=span_of(self._prev).end)

    def _read_limit(self) -> tuple[str, exp.Var]:
        begins = self._curr
        limit = self._one_of(LIMITS, "after LIMITED TO")
        if not self._match(TokenType.NUMBER):
            refusal = self._expected(f"a number after {limit}")
            raise refusal
        amount = self._prev.text
        if self._curr and self._curr.token_type not in ENDS_LIMIT and not self._is_at_limit():
            self._advance()
            amount += f" {self._prev.text}"
        if self._is_at_limit():
            refusal = self._expected("a comma between limits, such as LIMITED TO ROWS 10000, TIME 50 MS")
            raise refusal
        return limit, placed(exp.Var(this=amount), span_of(begins)._replace(end=span_of(self._prev).end))

    def _is_at_limit(self) -> bool:
        return bool(self._curr) and self._curr.text.upper() in LIMITS

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
        self._insist("AS", f"AS and a query after CREATE VIEW {name.name}")
        query = self._read_query()
        if is_recursive or columns:
            query = named_query(name, columns, query, is_recursive)
        return ViewNode(this=name, expression=query, replace=replaces, exists=exists)

    def _read_relation(self, kind: str, name: Any, exists: Any) -> Any:
        columns: list[Any] = []
        key: list[Any] = []
        if self._match(TokenType.L_PAREN):
            self._parse_csv(lambda: self._read_member(columns, key))
            self._closing()
        options = []
        if self._match_text_seq("WITH"):
            self._insist("(", "( after WITH, such as WITH (wrapper = 'mqtt', topic = 'a/b')")
            options = self._parse_csv(self._read_option)
            self._closing()
        return RelationNode(this=name, kind=kind, columns=columns, key=key, options=options, exists=exists)

    def _read_member(self, columns: list[Any], key: list[Any]) -> None:
        if self._match(TokenType.PRIMARY_KEY):
            self._insist("(", "( and columns after PRIMARY KEY")
            key.append(self._parse_csv(lambda: self._name("a column")))
            self._closing()
            return
        name, kind = self._name("a column"), self._parse_types()
        if kind is None:
            refusal = self._expected(f"the type of {name.name}")
            raise refusal
        column = ColumnNode(this=name, kind=kind)
        while self._match_text_seq("NOT", "NULL") or self._match(TokenType.PRIMARY_KEY):
            column.set("not_null", True)
            column.set("is_key", column.args.get("is_key") or self._prev.token_type is TokenType.PRIMARY_KEY)
        columns.append(column)

    def _read_option(self) -> tuple[Any, str]:
        name = self._name("an option")
        self._insist("=", f"= after {name.name}")
        sign = "-" if self._match(TokenType.DASH) else ""
        if self._match_set((TokenType.STRING, TokenType.NUMBER, TokenType.TRUE, TokenType.FALSE)):
            return name, sign + self._prev.text
        refusal = self._expected(f"a value of {name.name} in quotes")
        raise refusal

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

    def _read_explanation(self) -> Any:
        if self._match_text_seq("WHY"):
            return self._read_why()
        analyze = self._match_texts(("ANALYZE", "ANALYSE"))
        first = self._curr
        if first and (first.token_type in QUERIES or first.text.upper() in ("DATALOG", "CREATE")):
            return ExplainNode(this=self._parse_statement(), analyze=analyze)
        return ExplainNode(this=self._name("a query or the name of a view"), analyze=analyze)

    def _read_why(self) -> Any:
        negated = self._match(TokenType.NOT)
        view = self._name("the name of a view, and of a row: EXPLAIN WHY view(value, …)")
        if self._match(TokenType.WHERE):
            return WhyNode(this=view, where=self._parse_disjunction(), negated=negated)
        self._insist("(", f"the row: {view.name}(value, …) or {view.name} WHERE column = value AND …")
        values = self._parse_csv(self._parse_disjunction)
        self._closing()
        return WhyNode(this=view, expressions=values, negated=negated)

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
