"""Where there is room for what a plan holds, in one process or in shares, and why there.

in one process: its operators keep 1,204 rows, of at most 500,000
in 4 shares: its operators had 812,000 rows to keep, of at most 500,000 in one process; back in one when …
"""

from typing import NamedTuple

from engine.plan.explaining.estimates import number


class Room(NamedTuple):
    """How much the operators of a plan keep, or had to keep when it was cut into ``shares``, if it was.

    A plan in shares goes back once what feeds it, which has ``fed`` rows, has fewer than ``back``; ``spread``
    are those of its tables and windows that are in shares, with their rows.
    """

    kept: float
    most: float
    shares: int = 0
    fed: float = 0.0
    back: float = 0.0
    spread: tuple[tuple[str, float], ...] = ()

    def __str__(self) -> str:
        kept, most, fed, back = map(number, (self.kept, self.most, self.fed, self.back))
        if self.shares:
            cut = f"in {self.shares} shares: its operators had {kept} rows to keep, of at most {most}"
            again = f"back in one when what feeds them has under {back} rows, {fed} now"
            told = [f"{cut} in one process", again]
        else:
            told = [f"in one process: its operators keep {kept} rows, of at most {most}"]
            told += ["it goes to shares when its turn comes"] if self.kept > self.most else []
        told += [f"{name} is in shares, with {number(rows)} rows" for name, rows in self.spread]
        return "; ".join(told)
