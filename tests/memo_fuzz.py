"""Random joins under random changes: `python -m tests.memo_fuzz --steps 100000 --seed 1`.

A step is one to five changes of one memo, after which every cost of every node, and the plans, must equal
what adding up anew gives. Prints how many steps, memos and mismatches; ends with 1 if there were any.
"""

import argparse
import sys
from random import Random
from typing import NamedTuple

from tests.random_memo import changing

STEPS_OF_ONE = 100


class Tally(NamedTuple):
    """Steps and memos tried, and the seeds that went wrong."""

    steps: int
    memos: int
    wrong: list[str]


def trial(seed: int, steps: int) -> str | None:
    """Change one random memo; return where it went wrong first."""
    random = Random(seed)
    case = changing(random, roots=random.choice((1, 1, 2)))
    for step in range(steps):
        for _ in range(random.randint(1, 5) if random.random() < 0.3 else 1):
            case.change(random)
        if found := case.wrong():
            return f"seed {seed}, step {step}: {found[0]}"
    return None


def fuzz(steps: int, seed: int) -> Tally:
    memos = -(-steps // STEPS_OF_ONE)
    found = (trial(seed + number, STEPS_OF_ONE) for number in range(memos))
    return Tally(memos * STEPS_OF_ONE, memos, [wrong for wrong in found if wrong])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    tally = fuzz(given.steps, given.seed)
    sys.stdout.write(f"{tally.steps} steps of {tally.memos} memos, {len(tally.wrong)} mismatches\n")
    sys.stdout.writelines(f"{wrong}\n" for wrong in tally.wrong)
    return 1 if tally.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
