"""Rows that people write: INSERT INTO relation [(columns)] VALUES (…), … and DELETE FROM table [WHERE …]."""

from typing import Any

from sqlglot import exp
from sqlglot.tokenizer_core import TokenType

from engine.lang.streamsql.grammar.nodes import DeleteNode, InsertNode, placed
from engine.lang.streamsql.grammar.words import WordParser, span_of


class WritingParser(WordParser):
    """Reads both statements."""

    def _read_insertion(self) -> Any:
        self._insist("INTO", "INTO after INSERT")
        name = self._name("the name of a table or stream")
        columns = []
        if self._match_text_seq("("):
            columns = self._parse_csv(lambda: self._name("a column"))
            self._closing()
        self._insist("VALUES", f"VALUES and rows after INSERT INTO {name.name}")
        return InsertNode(this=name, columns=columns, expressions=self._parse_csv(self._read_row))

    def _read_row(self) -> Any:
        opening = self._curr
        self._insist("(", "a row in brackets, such as (1, 'a')")
        values = self._parse_csv(self._parse_disjunction)
        self._closing()
        return placed(exp.Tuple(expressions=values), span_of(opening)._replace(end=span_of(self._prev).end))

    def _read_deletion(self) -> Any:
        self._insist("FROM", "FROM after DELETE")
        name = self._name("the name of a table")
        where = self._parse_disjunction() if self._match(TokenType.WHERE) else None
        return DeleteNode(this=name, where=where)
