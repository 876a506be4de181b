"""Functions for the functors of a program, from a file of Python.

    .functor area(w:float, h:float):float       def area(w, h): return w * h

The file is run with all that whoever calls the command may do: it is theirs, as the program is. A
function must be pure; numbers come as int and float, symbols as str, records as tuples, nil as ().
"""

import runpy
from collections.abc import Callable
from pathlib import Path
from typing import Any

from engine.model.errors import QueryError, SourceError


def functions_of(path: Path | None) -> dict[str, Callable[..., Any]]:
    """Return the functions that a file of Python defines; it is run, with all that it may do."""
    if path is None:
        return {}
    try:
        found = runpy.run_path(str(path))
    except OSError as error:
        message = f"cannot read the functors: {path}: {error.strerror}"
        raise SourceError(message) from None
    except Exception as error:
        message = f"the functors of {path} cannot be run: {type(error).__name__}: {error}"
        raise SourceError(message) from None
    return {name: guarded(name, each) for name, each in found.items() if callable(each) and name[0] != "_"}


def guarded(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function whose failure is told as an error of the functor."""

    def called(*args: Any) -> Any:
        try:
            return function(*args)
        except Exception as error:
            message = f"the functor {name} failed on {args}: {type(error).__name__}: {error}"
            raise QueryError(message) from None

    return called
