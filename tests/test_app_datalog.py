"""`smartcis datalog` over folders of programs: what it prints and writes is what was recorded.

tests/golden/datalog_runs/NAME/   program.dl, REL.facts, updates, functors.py    what is run
                                  commands       one line of arguments each; < updates gives standard input
                                  recorded       what each said, its exit code, the files that it wrote

SMARTCIS_GOLDEN=write records anew, for the diff to be read.
"""

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from random import Random

import pytest
from click.testing import CliRunner

from app.cli import main

RUNS = Path(__file__).parent / "golden" / "datalog_runs"
CASES = sorted(path.name for path in RUNS.iterdir())
GIVEN = {"commands", "recorded"}


def said(command: str, folder: Path) -> str:
    """What a command prints and writes, the changes of the folder's files included."""
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    arguments, _, source = command.partition(" < ")
    text = (folder / source.strip()).read_text() if source else None
    found = CliRunner().invoke(main, ["datalog", *shlex.split(arguments)], input=text)
    if found.exception is not None and not isinstance(found.exception, SystemExit):
        raise found.exception
    lines = [f"$ smartcis datalog {command}", found.stdout.rstrip("\n")]
    lines += [f"! {line}" for line in found.stderr.splitlines()]
    lines += [f"exit {found.exit_code}"] if found.exit_code else []
    for path in sorted(folder.rglob("*")):
        if path.is_file() and before.get(path) != path.read_bytes():
            lines += [f"== {path.relative_to(folder)}", path.read_text().rstrip("\n")]
    return "\n".join(line for line in lines if line)


@pytest.mark.parametrize("case", CASES)
def test_a_run_says_and_writes_what_it_recorded(case, tmp_path, monkeypatch):
    folder = tmp_path / case
    shutil.copytree(RUNS / case, folder, ignore=shutil.ignore_patterns(*GIVEN))
    monkeypatch.chdir(folder)
    commands = (RUNS / case / "commands").read_text().splitlines()
    found = "\n\n".join(said(command, folder) for command in commands) + "\n"
    recorded = RUNS / case / "recorded"
    if os.environ.get("SMARTCIS_GOLDEN") == "write":
        recorded.write_text(found)
    assert found == recorded.read_text()


def run(folder: Path, *more: str, updates: str | None = None) -> list[str]:
    """The lines that a run over a folder of facts prints."""
    arguments = ["datalog", str(RUNS / "reachable" / "program.dl"), "-F", str(folder), "-D", "-", *more]
    found = CliRunner().invoke(main, arguments, input=updates)
    assert found.exit_code == 0, found.output
    return found.stdout.splitlines()


def table(lines: list[str]) -> set[str]:
    """The rows between the rules of what is printed of an output."""
    first = lines.index("===============")
    return set(lines[first + 1 : lines.index("===============", first + 1)])


@pytest.mark.parametrize("seed", range(5))
def test_changes_added_up_are_what_a_run_over_the_new_facts_finds(seed, tmp_path):
    random = Random(seed)
    facts: dict[str, set[tuple[str, ...]]] = {"edge": set(), "shut": set()}

    def write() -> Path:
        for name, rows in facts.items():
            text = "".join("\t".join(row) + "\n" for row in sorted(rows))
            (tmp_path / f"{name}.facts").write_text(text)
        return tmp_path

    def row(name: str) -> tuple[str, ...]:
        return tuple(random.choices("abcde", k=2 if name == "edge" else 1))

    facts["edge"] = {row("edge") for _ in range(8)}
    rows = table(run(write()))
    updates = []
    for _ in range(40):
        name, sign = random.choice(["edge", "edge", "shut"]), random.choice("+-")
        changed = row(name)
        quoted = ", ".join(f'"{value}"' for value in changed)
        updates.append(f"{sign}{name}({quoted})\n" + random.choice(["", "commit\n"]))
        (facts[name].add if sign == "+" else facts[name].discard)(changed)
    for line in run(tmp_path, "--updates", "-", updates="".join(updates)):
        if line[0] in "+-" and line.startswith("path", 1):
            values = "\t".join(re.findall(r'"(\w)"', line))
            assert (line[0] == "+") == (values not in rows)
            rows ^= {values}
    assert rows == table(run(write()))


def test_every_proof_of_a_long_path_is_told_without_recursion(tmp_path):
    (tmp_path / "edge.facts").write_text("".join(f"n{i}\tn{i + 1}\n" for i in range(400)))
    (tmp_path / "shut.facts").write_text("")
    lines = run(tmp_path, "--why", 'path("n0", "n400")')
    assert sum(line.endswith("is a fact") for line in lines) == 400


def test_updates_on_standard_input_are_answered_one_by_one(tmp_path):
    folder = RUNS / "reachable"
    command = [sys.executable, "-m", "app.cli", "datalog", str(folder / "program.dl"), "-F", str(folder)]
    asked = [*command, "-D", str(tmp_path), "--updates", "-"]
    with subprocess.Popen(asked, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as running:
        assert running.stdin is not None
        assert running.stdout is not None
        for sign in "+-":
            running.stdin.write(f'{sign}edge("d", "z")\ncommit\n')
            running.stdin.flush()
            answer = list(iter(lambda: running.stdout.readline().strip(), "commit"))
            assert answer == [f'{sign}path("{x}", "z")' for x in "abcd"]
        running.stdin.close()
        assert running.stdout.read() == "path\t6\n"


def test_a_byte_order_mark_is_no_part_of_a_program_or_of_a_fact(tmp_path):
    program = tmp_path / "copy.dl"
    text = ".decl e(x:symbol)\n.input e\n.decl p(x:symbol)\np(x) :- e(x).\n.output p\n"
    program.write_bytes(b"\xef\xbb\xbf" + text.encode())
    (tmp_path / "e.facts").write_bytes(b"\xef\xbb\xbfa\nb\n")
    found = CliRunner().invoke(main, ["datalog", str(program), "-F", str(tmp_path), "-D", "-"])
    assert table(found.stdout.splitlines()) == {"a", "b"}


def test_updates_that_are_not_utf_8_are_refused_with_the_byte(tmp_path):
    folder = RUNS / "reachable"
    command = [sys.executable, "-m", "app.cli", "datalog", str(folder / "program.dl"), "-F", str(folder)]
    said = b'+edge("a", "\xff")\ncommit\n+edge("d", "z")\n'
    ran = subprocess.run(
        [*command, "-D", str(tmp_path), "--updates", "-"], input=said, capture_output=True, check=False
    )
    assert ran.returncode == 1
    assert b"found the byte 0xff, expected UTF-8" in ran.stderr
    assert b'+path("a", "z")' in ran.stdout


def test_what_is_written_in_quotes_over_lines_is_read_back(tmp_path):
    program = tmp_path / "copy.dl"
    facts = r'a("n\nl", 4u). a("b,c", 5).'
    put_out = '.output a(rfc4180=true, filename="a.facts")'
    program.write_text(f".decl a(x:symbol, n:unsigned)\n{facts}\n{put_out}\n")
    assert CliRunner().invoke(main, ["datalog", str(program), "-D", str(tmp_path)]).exit_code == 0
    program.write_text(".decl a(x:symbol, n:unsigned)\n.input a(rfc4180=true)\n.printsize a\n.output a\n")
    found = CliRunner().invoke(main, ["datalog", str(program), "-F", str(tmp_path), "-D", str(tmp_path)])
    assert found.stdout == "a\t2\n", found.output
