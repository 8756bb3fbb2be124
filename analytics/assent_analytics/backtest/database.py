"""What Polars cannot do exactly, done by DuckDB in memory: members of JSON texts with their kinds, and RE2.

Polars gives a member of a JSON text without its quotes, so that 1 and "1" are one; DuckDB gives it as JSON. Polars'
regular expressions are Rust's, whose classes and borders follow Unicode where those of RE2 are ASCII; DuckDB's are RE2,
as guard's are. RE2 learned `(?<name>...)` lately, which DuckDB's does not know: it is written `(?P<name>...)` here.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from types import TracebackType
from typing import Self

import duckdb
import msgspec
import polars as pl

_PLAIN = re.compile(r"[\w \-]+")
_NAMED_GROUP = re.compile(r"\\.|\[\^?\]?(?:\\.|\[:\w+:\]|[^\]\\])*\]|(\(\?)(?=<[A-Za-z_])", re.DOTALL)


class PatternError(ValueError):
    """A pattern that this RE2 does not accept."""


class ReplayDatabase:
    """A database of its own, to be closed. Several threads may ask at once."""

    def __init__(self) -> None:
        self._connection = duckdb.connect()
        # Rewriting a pattern into comparisons would be another engine than RE2.
        self._connection.execute("SET disabled_optimizers = 'expression_rewriter'")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._connection.close()

    def members(self, texts: pl.Series, paths: Sequence[tuple[str, ...]]) -> list[pl.Series]:
        """What stands at each path of JSON objects, as JSON text; null where nothing does, `null` where null does.

        A path whose names DuckDB would read as something else is walked in Python, text by text. Raises ValueError for
        a text that is no JSON.
        """
        plain = [path for path in paths if all(_PLAIN.fullmatch(part) for part in path)]
        found: dict[tuple[str, ...], pl.Series] = {}
        if plain:
            found = dict(zip(plain, self._extracted(texts, plain), strict=True))
        for path in paths:
            if path not in found:
                found[path] = pl.Series([_walked(text, path) for text in texts], dtype=pl.String)
        return [found[path] for path in paths]

    def matches(self, texts: pl.Series, pattern: str) -> pl.Series:
        """Whether RE2 finds the pattern in each text. Raises PatternError."""
        (found,) = self.matches_each(texts, [pattern])
        return found

    def matches_each(self, texts: pl.Series, patterns: Sequence[str]) -> list[pl.Series]:
        """The same for many patterns in one question, which takes hardly longer than one. Raises PatternError."""
        batch = pl.DataFrame({"text": texts})
        named = [_NAMED_GROUP.sub(lambda found: "(?P" if found[1] else found[0], pattern) for pattern in patterns]
        columns = ", ".join(f'regexp_matches(text, ?) AS "{at}"' for at in range(len(named)))
        try:
            return self._asked(f"SELECT {columns} FROM batch", batch, [*named]).get_columns()  # noqa: S608 - only places
        except duckdb.Error as error:
            if len(patterns) > 1:
                return [self.matches(texts, pattern) for pattern in patterns]
            raise PatternError(f"The pattern {patterns[0][:80]!r} is none that this RE2 accepts.") from error

    def _extracted(self, texts: pl.Series, paths: Sequence[tuple[str, ...]]) -> list[pl.Series]:
        batch = pl.DataFrame({"text": texts})
        # One list of paths is one reading of each text; paths by themselves would read it again and again.
        listed = ", ".join("'$" + "".join(f'."{part}"' for part in path) + "'" for path in paths)
        columns = ", ".join(f'CAST(found[{at + 1}] AS VARCHAR) AS "{at}"' for at in range(len(paths)))
        sql = f"SELECT {columns} FROM (SELECT json_extract(text, [{listed}]) AS found FROM batch) AS extracted"  # noqa: S608 - the parts are checked
        try:
            return self._asked(sql, batch, []).get_columns()
        except duckdb.Error as error:
            raise ValueError(f"a context is no JSON text: {error}") from error

    def _asked(self, sql: str, batch: pl.DataFrame, parameters: list[object]) -> pl.DataFrame:
        # Polars' own layout of texts, which DuckDB reads as it is; the usual one would be a copy.
        with self._connection.cursor() as asking:
            asking.register("batch", batch.to_arrow(compat_level=pl.CompatLevel.newest()))
            answer: pl.DataFrame = asking.sql(sql, params=parameters).pl()
            return answer


def _walked(text: str | None, path: tuple[str, ...]) -> str | None:
    value: object = msgspec.json.decode(text) if text is not None else None
    for part in path:
        value = value.get(part) if isinstance(value, dict) else None
    return msgspec.json.encode(value).decode() if value is not None else None
