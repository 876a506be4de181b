"""The past as the web side has it: where it is kept, and how its writing goes."""

from collections.abc import Callable
from typing import NamedTuple

import sqlalchemy as sa


class Past(NamedTuple):
    """``health`` says "ok", or what keeps the past from being written."""

    database: sa.Engine
    health: Callable[[], str]
