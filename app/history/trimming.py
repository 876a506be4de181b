"""What is older than a view keeps goes, in slices, while the recording goes on."""

from collections.abc import Iterable

from app.history.recorded import Recorded
from app.history.store import Store


def trim(store: Store, recording: Iterable[Recorded], now: int) -> bool:
    """Take one slice off every recording; tell whether there may be more to take."""
    views = {view.id: view for view in recording}
    went = 0
    for number, kept, hours in store.marked():
        view, before, hours_before = views.get(number), now - kept, now - hours
        went += store.trim(number, before, hours_before)
        if view is None:
            store.forget(number, before, hours_before)
        elif view.has_many_keys and not view.is_dirty:
            store.prune(view)
    return went > 0
