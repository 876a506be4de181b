"""The rest of CREATE STREAM and CREATE TABLE: columns, key and options.

(column type [NOT NULL], …, PRIMARY KEY (…)) [WITH (option = 'value', …)]
"""

from typing import Any

from sqlglot.tokenizer_core import TokenType

from engine.lang.streamsql.grammar.nodes import ColumnNode, RelationNode
from engine.lang.streamsql.grammar.options import OptionParser
from engine.lang.streamsql.statements.writing import WritingParser


class DeclaringParser(OptionParser, WritingParser):
    """Reads what a relation is declared to be."""

    def _read_relation(self, kind: str, name: Any, exists: Any) -> Any:
        columns: list[Any] = []
        key: list[Any] = []
        if self._match(TokenType.L_PAREN):
            self._parse_csv(lambda: self._read_member(columns, key))
            self._closing()
        options = self._read_options("WITH (wrapper = 'mqtt', topic = 'a/b')")
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
