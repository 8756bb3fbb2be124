"""The data of tables, columns and arrays of pandas, polars, Arrow and NumPy, whose own text leaves out their middle.

1. A table is told as its records: a mapping of names to values for each row, as a list of them would be. A column is
   told as its values, or as records of one member where it has a name; an array as its lists.
2. The rows' labels of pandas stand in a member of their own, named as they are there or `index`, unless they only
   count the rows. A column whose labels are names is a record, as a row of a table is. Columns of one name are told as
   the list of what they hold, and what is missing is None.
3. Not more cells are asked for than there is room.

None of these libraries is imported: an object is known by the modules of its classes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple, TypeAlias

_Column: TypeAlias = tuple[str, list[Any]]
"""Its name, and as many of its values as there is room for."""


class Content(NamedTuple):
    """What an object holds, and whether that is all of it."""

    data: Any
    whole: bool


def content_of(value: Any, kind: type[Any], room: int) -> Content | None:
    """The first `room` cells of it; None of what is none of these. Raises what the object does."""
    read = next((_READERS[each] for each in map(_named, kind.__mro__) if each in _READERS), None)
    return None if read is None else read(value, max(1, room))


def _named(kind: type[Any]) -> tuple[str, str]:
    return str(kind.__module__).partition(".")[0], kind.__name__


def _records(columns: Iterable[_Column]) -> list[dict[str, Any]] | dict[str, Any]:
    """Rows as mappings; values of columns of one name as a list. Without rows the names are there alone."""
    found = dict[str, list[list[Any]]]()
    for name, values in columns:
        found.setdefault(name, []).append(values)
    merged = [each[0] if len(each) == 1 else [list(row) for row in zip(*each, strict=True)] for each in found.values()]
    rows = [dict(zip(found, row, strict=True)) for row in zip(*merged, strict=True)]
    return rows or {name: [] for name in found}


def _table(height: int, width: int, room: int, columns: Callable[[int, int], Iterable[_Column]]) -> Content:
    """`columns` gives the first so many columns, with so many values each. In a record each value has its name beside
    it, of half a cell at least."""
    wide = min(width, room)
    high = min(height, max(1, 2 * room // (3 * wide + 2)))
    return Content(_records(columns(wide, high)), (wide, high) == (width, height))


# pandas


def _pandas_frame(frame: Any, room: int) -> Content:
    def columns(wide: int, high: int) -> Iterable[_Column]:
        yield from _pandas_labels(frame.index[:high])
        for place in range(wide):
            yield _label(frame.columns[place]), _pandas_values(frame.iloc[:high, place])

    height, width = frame.shape
    return _table(height, width, room, columns)


def _pandas_series(series: Any, room: int) -> Content:
    shown, whole = series.iloc[:room], len(series) <= room
    values, names = _pandas_values(shown), list(shown.index)
    if names and all(type(each) is str for each in names) and len(set(names)) == len(names):
        return Content(dict(zip(names, values, strict=True)), whole)
    labels = list(_pandas_labels(shown.index))
    if not labels and series.name is None:
        return Content(values, whole)
    return Content(_records([*labels, (_label(series.name, "value"), values)]), whole)


def _pandas_index(index: Any, room: int) -> Content:
    return Content([_plainly(each) for each in index[:room]], len(index) <= room)


def _pandas_array(array: Any, room: int) -> Content:
    return Content(_pandas_values(array[:room]), len(array) <= room)


def _pandas_labels(index: Any) -> Iterable[_Column]:
    """None of rows that are only counted."""
    if type(index).__name__ == "RangeIndex" and (index.start, index.step, index.name) == (0, 1, None):
        return
    names = list(index.names)
    for place, name in enumerate(names):
        yield _label(name, "index"), _pandas_values(index.get_level_values(place))


def _pandas_values(column: Any) -> list[Any]:
    missing = [bool(each) for each in column.isna()]
    return [None if gone else each for each, gone in zip(column, missing, strict=True)]


def _label(name: object, unnamed: str = "") -> str:
    """Of a column; one with several parts has them behind each other."""
    if name is None:
        return unnamed
    return ".".join(str(each) for each in name) if isinstance(name, tuple) else str(name)


def _plainly(label: object) -> object:
    return list(label) if isinstance(label, tuple) else label


def _pandas_scalar(scalar: object, room: int) -> Content:
    return Content(str(scalar), True)


def _missing(scalar: object, room: int) -> Content:
    return Content(None, True)


# polars


def _polars_frame(frame: Any, room: int) -> Content:
    def columns(wide: int, high: int) -> Iterable[_Column]:
        for each in frame.get_columns()[:wide]:
            yield each.name, each.head(high).to_list()

    return _table(frame.height, frame.width, room, columns)


def _polars_series(series: Any, room: int) -> Content:
    values = series.head(room).to_list()
    return Content(_records([(series.name, values)]) if series.name else values, len(series) <= room)


# Arrow


def _arrow_table(table: Any, room: int) -> Content:
    def columns(wide: int, high: int) -> Iterable[_Column]:
        for place in range(wide):
            yield table.schema.names[place], table.column(place).slice(0, high).to_pylist()

    return _table(table.num_rows, table.num_columns, room, columns)


def _arrow_array(array: Any, room: int) -> Content:
    return Content(array.slice(0, room).to_pylist(), len(array) <= room)


def _arrow_scalar(scalar: Any, room: int) -> Content:
    return Content(scalar.as_py(), True)


# NumPy


def _numpy_array(array: Any, room: int) -> Content:
    names = array.dtype.names
    if names:
        rows, wide = array.reshape(-1), names[:room]
        high = min(len(rows), max(1, room // len(names)))
        read = {name: _numpy_array(rows[name][:high], room) for name in wide}
        whole = (high, wide) == (len(rows), names) and all(each.whole for each in read.values())
        return Content(_records((name, list[Any](each.data)) for name, each in read.items()), whole)
    whole = array.size <= room
    shown = array if whole else array.flat[:room]
    moments = array.dtype.kind in "mM"
    return Content((shown.astype(str) if moments else shown).tolist(), whole)


def _numpy_scalar(scalar: Any, room: int) -> Content:
    names = scalar.dtype.names
    if names:
        return Content({name: scalar[name] for name in names}, True)
    plain = str(scalar) if scalar.dtype.kind in "mM" else scalar.item()
    return Content(str(plain) if type(plain) is type(scalar) else plain, True)


_READERS: Mapping[tuple[str, str], Callable[[Any, int], Content]] = {
    ("pandas", "DataFrame"): _pandas_frame,
    ("pandas", "Series"): _pandas_series,
    ("pandas", "Index"): _pandas_index,
    ("pandas", "ExtensionArray"): _pandas_array,
    ("pandas", "Period"): _pandas_scalar,
    ("pandas", "Interval"): _pandas_scalar,
    ("pandas", "NAType"): _missing,
    ("polars", "DataFrame"): _polars_frame,
    ("polars", "Series"): _polars_series,
    ("pyarrow", "Table"): _arrow_table,
    ("pyarrow", "RecordBatch"): _arrow_table,
    ("pyarrow", "Array"): _arrow_array,
    ("pyarrow", "ChunkedArray"): _arrow_array,
    ("pyarrow", "Scalar"): _arrow_scalar,
    ("numpy", "ndarray"): _numpy_array,
    ("numpy", "generic"): _numpy_scalar,
}
