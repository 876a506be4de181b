"""What pages would become: each is fetched once, read and decoded as it would be; nothing is kept."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from app.cells import cell_of
from app.trying.trial import KEY, SAMPLES
from engine.model.errors import SourceError
from engine.model.values import Row
from ingest.decoding.pages import PageRows
from ingest.decoding.values import FieldError
from ingest.sources.pages import Page, PageSource
from ingest.wrappers.fetching import fetch
from ingest.wrappers.pages.rows import PageError, Raw, rows_of


@dataclass
class PageTrial:
    """What one page has; ``problem`` is why it has nothing."""

    source: PageSource
    page: Page
    problem: str = ""
    rows: list[Row] = field(default_factory=list)
    rejects: list[tuple[str, Raw]] = field(default_factory=list)

    @property
    def is_good(self) -> bool:
        return bool(self.rows) and not self.rejects


def tried_page(source: PageSource, page: Page, now: int) -> PageTrial:
    """Fetch a page and decode its rows."""
    trial, decoder = PageTrial(source, page), PageRows(source, KEY)
    try:
        found = rows_of(source, page, fetch(page.address))
    except (SourceError, PageError) as error:
        trial.problem = str(error)
        return trial
    for raw in found:
        try:
            trial.rows.append(decoder.decode(raw, now))
        except FieldError as error:
            trial.rejects.append((str(error), raw))
    return trial


def lines_of_page(trial: PageTrial) -> Iterator[str]:
    """Yield what is said of a page."""
    name = (
        trial.page.name if trial.page.name == trial.source.name else f"{trial.source.name}/{trial.page.name}"
    )
    if trial.problem:
        yield f"{name}: {cell_of(trial.problem)}"
        return
    yield f"{name}: {len(trial.rows)} rows and {len(trial.rejects)} rejects"
    names = [column.field.name for column in trial.source.columns]
    for row in trial.rows[:SAMPLES]:
        pairs = zip(names, row, strict=True)
        yield f"  {'  '.join(f'{each}={cell_of(value)}' for each, value in pairs)}"
    hides = any(column.field.pseudonym for column in trial.source.columns)
    for reason, raw in trial.rejects[:SAMPLES]:
        yield f"  rejected: {cell_of(reason)}"
        if not hides:
            yield f"    {'  '.join(f'{each}={cell_of(value)}' for each, value in raw.items())}"
