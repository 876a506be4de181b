"""The command `smartcis datalog`.

Exit codes: 0 done; 1 facts or updates were not read or not taken, or the run failed; 2 the program is wrong.
"""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from app.cells import say
from app.underline import underlined
from engine.model.errors import QueryError, SmartCISError, SourceError

if TYPE_CHECKING:
    from app.datalog.run import Asked

DEEP = 6_000  # a list is a record in a record in a record
FILE = click.Path(path_type=Path)


@click.command()
@click.argument("program", type=FILE)
@click.option(
    "--facts", "-F", type=FILE, default=Path(), help="Folder of the facts, REL.facts; else this one."
)
@click.option("--out", "-D", type=FILE, default=Path(), help="Folder of results, REL.csv; - prints them.")
@click.option("--updates", metavar="FILE", help="Lines +rel(…), -rel(…) and commit; - reads standard input.")
@click.option("--query", "queries", multiple=True, metavar="ATOMS", help="Ask besides: 'path(\"a\", X)'.")
@click.option("--why", multiple=True, metavar="ROW", help='Prove a row: \'path("a", "c")\'.')
@click.option("--why-not", multiple=True, metavar="ROW", help="Tell how far each rule gets for a row.")
@click.option("--functors", type=FILE, help="Python file with a function for each .functor; it is run.")
@click.option("--rounds", type=int, default=100_000, help="Rounds of a recursion after which it is stopped.")
@click.option("--classes", is_flag=True, help="Tell the class of each component of the program and end.")
def datalog(program: Path, classes: bool, **options: Any) -> None:
    """Run a Datalog program as Soufflé does, then keep its results current under updates."""
    from app.datalog.run import Asked  # the engine takes a moment to import; other commands need none of it

    sys.setrecursionlimit(max(sys.getrecursionlimit(), DEEP))
    asked = Asked(**options)
    sys.exit(tell_classes(program, asked) if classes else run(program, asked))


def run(program: Path, asked: "Asked") -> int:
    """Run a program; return the exit code."""
    from app.datalog.run import Run

    def all_of(text: str) -> bool:
        compiled = Run(text, asked, sys.stdin)
        try:
            return compiled.whole()
        except QueryError as error:  # the program was right as far as can be told without running it
            raise SourceError(error.message) from None

    return told(program, all_of)


def tell_classes(program: Path, asked: "Asked") -> int:
    """Tell the class of each component of a program; return the exit code."""
    from app.datalog.functors import functions_of
    from engine.lang.datalog.compiled import classify

    def classes(text: str) -> bool:
        for each in classify(text, functions_of(asked.functors)):
            say(str(each))
        return True

    return told(program, classes)


def told(program: Path, do: Callable[[str], bool]) -> int:
    """Do something with a program's text and tell what goes wrong; return the exit code."""
    try:
        text = program.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        say(f"cannot read the program: {program}: {reason}", err=True)
        return 1
    try:
        return 0 if do(text) else 1
    except RecursionError:
        click.echo(f"a value has more than {DEEP // 3:,} records within records; split it", err=True)
        return 1
    except QueryError as error:
        span = None if error.span is None else error.span._asdict()
        for line in (*underlined(text, span), error.message):
            say(line, err=True)
        return 2
    except SmartCISError as error:
        say(error.message, err=True)
        return 1
