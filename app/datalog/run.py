"""One run of a program: its facts are read, its transactions applied, its results written.

program + facts  →  views      each transaction  →  the changes of every output, then commit
at the end       →  files, sizes, answers, proofs
"""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

from app.cells import put_out, say
from app.datalog.engine import ROUNDS, Engine
from app.datalog.explain import Explanations
from app.datalog.files import Shape, format_of, read_facts, write_rows
from app.datalog.functors import functions_of
from app.datalog.scanning import Malformed
from app.datalog.updates import Transaction, Updates
from app.datalog.values import Texts
from engine.lang.datalog.binding import ProgramBinder
from engine.lang.datalog.compiled import Compiled, compile_program
from engine.lang.datalog.declared import Checked, checked
from engine.model.errors import QueryError, SourceError
from engine.model.values import Row
from engine.plan.logical import Scan

STANDARD = "-"


@dataclass(frozen=True)
class Asked:
    """What a command line asks for."""

    facts: Path
    out: Path
    updates: str | None = None
    why: tuple[str, ...] = ()
    why_not: tuple[str, ...] = ()
    queries: tuple[str, ...] = ()
    functors: Path | None = None
    rounds: int = ROUNDS


class Failed(Exception):
    """A run ends with this exit code; what there is to say was said."""

    def __init__(self, code: int) -> None:
        super().__init__(code)
        self.code = code


class Run:
    """A program, compiled, over its facts."""

    def __init__(self, text: str, asked: Asked, stdin: TextIO) -> None:
        self._asked = asked
        self._stdin = stdin
        functions = functions_of(asked.functors)
        self._compiled: Compiled = compile_program(text, functions, asked.queries)
        whole = "\n".join([text, *(f"?- {each.strip().rstrip('.')}." for each in asked.queries)])
        self._program: Checked = checked(whole, functions)
        self._texts = Texts(self._compiled.types)
        self._shapes = {name: Shape(name, tuple(fields)) for name, fields in self._program.relations.items()}
        self._inputs = {name: format_of("input", name, p) for name, (_, p) in self._compiled.inputs.items()}
        self._outputs = {
            n: format_of("output", n, put.parameters) for n, put in self._compiled.outputs.items()
        }
        self._rows = [self._row(text) for text in (*asked.why, *asked.why_not)]
        self._check_stdin()
        relations = [relation for relation, _ in self._compiled.inputs.values()]
        self._engine = Engine(relations, asked.rounds)

    def _check_stdin(self) -> None:
        readers = [name for name, form in self._inputs.items() if not form.filename]
        readers += ["--updates -"] if self._asked.updates == STANDARD else []
        if len(readers) > 1:
            message = f"{' and '.join(readers)} both read standard input; give one of them a file"
            raise QueryError(message)

    def whole(self) -> bool:
        """Run everything that is asked for; tell whether no transaction was refused."""
        for note in self._compiled.notes:
            say(note, err=True)
        self.load()
        all_taken = self.update()
        self.write()
        self.explain()
        return all_taken

    def load(self) -> None:
        """Read all facts, then keep what the program puts out."""
        changes = [
            (name, 1, row)
            for name, form in self._inputs.items()
            for row in read_facts(self._shapes[name], self._texts, form, self._asked.facts, self._stdin)
        ]
        self._engine.apply(changes)
        for name, put in {**self._compiled.printsizes, **self._compiled.outputs}.items():
            self._engine.view(name, put.plan)

    def update(self) -> bool:
        """Apply every transaction; tell whether none was refused."""
        if self._asked.updates is None:
            return True
        inputs = {name: self._shapes[name] for name in self._inputs}
        updates = Updates(inputs, self._shapes, self._texts)
        all_taken = True
        try:
            for transaction in updates.transactions(*self._lines(self._asked.updates)):
                all_taken &= self._apply(transaction)
        except KeyboardInterrupt:
            return all_taken
        return all_taken

    def _lines(self, updates: str) -> tuple[Iterable[str], str]:
        if updates == STANDARD:
            return self._stdin, "standard input"
        try:
            return Path(updates).read_bytes().decode().split("\n"), updates
        except (OSError, UnicodeDecodeError) as error:
            reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
            message = f"cannot read the updates: {updates}: {reason}"
            raise SourceError(message) from None

    def _apply(self, transaction: Transaction) -> bool:
        if transaction.refused:
            for reason in transaction.refused:
                say(f"{reason}; its transaction is refused whole", err=True)
            say("// refused")
            return False
        changed = self._engine.apply(transaction.changes)
        for name in sorted(changed.keys() & self._outputs.keys()):
            for row, count in sorted(changed[name]):
                say(("+" if count > 0 else "-") + self._atom(name, row))
        say("commit")
        return True

    def _atom(self, name: str, row: Row) -> str:
        return self._texts.atom(name, row, self._shapes[name].kinds)

    def write(self) -> None:
        """Write every output, and say sizes and answers."""
        for name, form in self._outputs.items():
            is_answer = name in self._program.queries
            form = form._replace(filename="", headers=True) if is_answer else form
            if str(self._asked.out) == STANDARD:
                form = form._replace(filename="")
            shape = self._shapes[name]
            text = write_rows(shape, self._texts, form, self._asked.out, self._engine.rows(name))
            if text:
                put_out(text.rstrip("\n"))
        for name in self._compiled.printsizes:
            say(f"{name}\t{len(self._engine.rows(name))}")

    def explain(self) -> None:
        """Say of each row asked for why it holds, or why not."""
        whole = ProgramBinder(self._program, lambda name: Scan(self._compiled.inputs[name][0], None))
        explanations = Explanations(self._program, whole.plan, self._engine, self._texts)
        for name, row in self._rows:
            for line in explanations.lines(self._shapes[name], row):
                say(line)

    def _row(self, text: str) -> tuple[str, Row]:
        """Read the row that an explanation is asked for."""
        try:
            name, row, _ = Updates(self._shapes, (), self._texts).atom(text, 0)
        except (Malformed, SourceError) as error:
            message = f"{text}: {error}"
            raise QueryError(message) from None
        return name, row
