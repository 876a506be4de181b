"""The views that are there from the start: the building's, and ours where it has none of that name."""

from pathlib import Path

from engine.lang.streamsql import CreateView, Statement, parse_script
from engine.model.errors import SourceError

OURS = Path(__file__).parent / "history" / "views.sql"


def building_views(folder: Path) -> list[Statement]:
    """Return the statements of both."""
    views = folder / "views.sql"
    script = parse_script(read_text(views)) if views.is_file() else []
    defined = {statement.name for statement in script if isinstance(statement, CreateView)}
    ours = parse_script(read_text(OURS))
    return [*(each for each in ours if isinstance(each, CreateView) and each.name not in defined), *script]


def read_text(path: Path) -> str:
    try:
        return path.read_text("utf-8")
    except UnicodeDecodeError as error:
        message = f"{path} is not UTF-8 text: {error.reason} at byte {error.start}; save it as UTF-8"
        raise SourceError(message) from error
