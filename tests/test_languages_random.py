"""Many random texts of both languages, every listed feature often enough, and none answered wrong."""

import sys

import pytest

from tests.language_fuzz import SHARE, fuzz


@pytest.mark.timeout(600)
@pytest.mark.parametrize(
    ("language", "cases"),
    [
        ("StreamSQL", 400),
        ("Datalog", 200),
        pytest.param("StreamSQL", 2000, marks=pytest.mark.slow),
        pytest.param("Datalog", 400, marks=pytest.mark.slow),
    ],
)
def test_random_texts_are_answered_as_recomputed(language: str, cases: int, capsys) -> None:
    found = fuzz(language, cases, seed=4)
    with capsys.disabled():
        sys.stdout.write(f"\n{found.summary(language)}\n")
    assert not found.wrong, "\n\n".join(found.wrong[:5])
    assert found.abandoned < cases * SHARE
    assert not [name for name, count in found.by_rarity() if count < SHARE * cases]
