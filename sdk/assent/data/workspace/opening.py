"""Opening a workspace: find the copies of the key's view, bring each up to date, and show what is there.

- Every copy of the view is looked at, also those of tables that nobody wants this time (`refreshing` says why).
- A table is right as of the moment when its versions were last asked for. After a failure in the middle each is right
  as of its own moment, and the next refresh goes on from there.
- Where the service does not answer, nobody can say what the key may see. A single view is opened as it is: it lies in
  a folder of the same user. Of several none is.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path

from assent.client.flow import Flow, Say, Sleep, send
from assent.client.operation import Caller
from assent.contract.analysis.data import GET_DATA_DICTIONARY
from assent.contract.people.keys import GET_OWN_KEY
from assent.contract.window import days_of
from assent.data.workspace.copies import Copy, Index, clear_drafts, clear_unknown, held_tables
from assent.data.workspace.place import WAIT, Lock, cache_folder, known_views, make_private, origin_folder, view_folder
from assent.data.workspace.refreshing import Fetched, refresh_table
from assent.errors import ConnectionFailed, Forbidden, MissingExtra, ServerError, Unavailable

GONE = (ConnectionFailed, Unavailable, ServerError)
"""What says nothing about the caller: what was fetched before may be read."""


@dataclass(frozen=True)
class Wanted:
    """`tables` None means every table that the key may see. `cache` is a folder in place of the user's."""

    window: str
    tables: tuple[str, ...] | None
    cache: Path


def wanted(window: str, tables: Sequence[str] | None, cache: Path | str | None) -> Wanted:
    """Raises ValueError for a window that is none and for what is no list of names, MissingExtra without Polars,
    pyarrow or DuckDB."""
    days_of(window)
    if tables is not None and (isinstance(tables, str) or not tables):
        raise ValueError(f"tables is {tables!r}; give a list of at least one name, or leave it out for all of them")
    for name in ("polars", "pyarrow", "duckdb"):
        if find_spec(name) is None:
            raise MissingExtra(what="client.workspace()", extra="analytics")
    folder = cache_folder() if cache is None else Path(cache).expanduser()
    return Wanted(window, None if tables is None else tuple(dict.fromkeys(map(str, tables))), folder.absolute())


@dataclass
class WorkspaceState:
    """What a workspace shows. `reason` says why the copies could not be brought up to date, None when they were."""

    view: Path
    window: str
    indexes: dict[str, Index]
    hidden: tuple[str, ...] = ()
    fetched: Fetched = field(default_factory=Fetched)
    reason: str | None = None


def opening(caller: Caller, asked: Wanted, *, strictly: bool = False) -> Flow[WorkspaceState]:
    """Bring everything up to date. Where the service does not answer, what was fetched before is opened as it is, if
    there is any; with `strictly` that is an error too. Raises ValueError for tables that are not there."""
    fetched = Fetched()
    origin = origin_folder(asked.cache, caller.base_url)
    view: Path | None = None
    try:
        key = yield from send(GET_OWN_KEY)
        view = view_folder(origin, key)
        dictionary = yield from send(GET_DATA_DICTIONARY)
        fetched.requests += 2
        known = [each.name for each in dictionary.tables]
        names = _names(known, asked.tables)
        make_private(asked.cache, view / "tables")
        with ExitStack() as stack:
            lock = stack.enter_context(Lock(view / "lock"))
            yield from _turn(lock)
            clear_drafts(view)
            clear_unknown(view, known)
            hidden = yield from _refresh(view, names, asked, fetched)
    except GONE as error:
        if strictly:
            raise
        return _as_it_is(view or _only_view(origin, error), asked, fetched, error)
    indexes = {name: index for name in names if (index := Copy(view, name).index()) is not None}
    return WorkspaceState(view, asked.window, indexes, tuple(hidden), fetched)


def _turn(lock: Lock) -> Flow[None]:
    waited = 0.0
    while not lock.take():
        if waited == 0.0:
            yield Say("another process is refreshing this workspace; waiting for it")
        waited += WAIT
        yield Sleep(WAIT)


def _names(known: Sequence[str], tables: tuple[str, ...] | None) -> list[str]:
    known = [name for name in known if name.replace("_", "").isalnum()]
    unknown = sorted(set(tables or ()) - set(known))
    if unknown:
        raise ValueError(f"there is no table {', '.join(unknown)[:200]}; there are: {', '.join(known)}")
    return list(known if tables is None else tables)


def _refresh(view: Path, names: list[str], asked: Wanted, fetched: Fetched) -> Flow[list[str]]:
    """Gives the tables that the key may not see. Raises Forbidden where it may see none."""
    hidden: dict[str, Forbidden] = {}
    for name in dict.fromkeys([*names, *held_tables(view)]):
        try:
            yield from refresh_table(Copy(view, name), asked.window if name in names else None, fetched)
        except Forbidden as error:
            hidden[name] = error
    if names and len(hidden) >= len(names):
        raise hidden[names[0]]
    return [name for name in names if name in hidden]


def _only_view(origin: Path, error: Exception) -> Path:
    """The view to open where nobody can be asked what the key may see. Raises `error` where there is not just one."""
    views = known_views(origin)
    if len(views) == 1:
        return views[0]
    why = (
        "there is no copy of it on this machine yet"
        if not views
        else ("which of these copies is the key's cannot be asked: " + ", ".join(str(view) for view in views))
    )
    error.add_note(f"The workspace cannot be opened without the service: {why}.")
    raise error


def _as_it_is(view: Path, asked: Wanted, fetched: Fetched, error: Exception) -> WorkspaceState:
    held = held_tables(view)
    names = _names(held, asked.tables) if held else []
    found = {name: index for name in names if (index := Copy(view, name).index()) is not None and index.as_of}
    if not found:
        error.add_note(
            "The workspace cannot be opened without the service: there is no copy of it on this machine yet."
        )
        raise error
    return WorkspaceState(view, asked.window, found, (), fetched, str(error))
