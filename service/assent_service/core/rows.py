"""Rows of the tables as records, and the filters that choose them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from functools import cache
from typing import Any, TypeVar, cast

import msgspec

from assent.contract.prepared import prepared
from assent_service.core.principal import Principal
from assent_service.store.database import Row
from assent_service.store.tables import Kind, Table

T = TypeVar("T")


def select(table: Table, alias: str | None = None) -> str:
    """The declared columns for a SELECT, in order."""
    prefix = f"{alias}." if alias else ""
    return ", ".join(f'{prefix}"{column.name}"' for column in table.columns)


def record(table: Table, row: Row, into: type[T]) -> T:
    """A row of `select(table)` as a record: JSON columns are decoded, times become aware.

    A row is empty where it is older than its column; a member with a default has that then, as it has when an event
    that is older than the member is decoded.
    """
    younger = _younger(cast("type[msgspec.Struct]", into))
    members: dict[str, Any] = {}
    for column, value in zip(table.columns, row, strict=True):
        if value is None:
            if column.name not in younger:
                members[column.name] = None
        elif column.kind is Kind.JSON:
            members[column.name] = msgspec.json.decode(str(value))
        elif isinstance(value, datetime):
            members[column.name] = value.replace(tzinfo=UTC)
        else:
            members[column.name] = value
    return msgspec.convert(members, prepared(into))


@cache
def _younger(into: type[msgspec.Struct]) -> frozenset[str]:
    """The members of a record whose default is something."""
    nothing = (msgspec.NODEFAULT, None)
    return frozenset(
        field.name
        for field in msgspec.structs.fields(into)
        if field.default not in nothing or field.default_factory is not msgspec.NODEFAULT
    )


class Filter:
    """Conditions and their parameters, collected one by one and joined by AND."""

    def __init__(self, org_id: str) -> None:
        self._conditions = ["org_id = ?"]
        self.parameters: list[object] = [org_id]

    def add(self, condition: str, value: object) -> None:
        """`condition` holds one `?`; a `value` of None adds nothing."""
        if value is not None:
            self._conditions.append(condition)
            self.parameters.append(value)

    def add_all(self, condition: str, values: Sequence[object]) -> None:
        self._conditions.append(condition)
        self.parameters.extend(values)

    def copy(self) -> Filter:
        twin = Filter("")
        twin._conditions, twin.parameters = list(self._conditions), list(self.parameters)
        return twin

    @property
    def where(self) -> str:
        return " AND ".join(self._conditions)


def of_caller(principal: Principal) -> Filter:
    """The rows of the agents that the caller may see, in a table with `org_id` and `agent_id`."""
    chosen = Filter(principal.org_id)
    if not principal.sees(None):
        chosen.add("agent_id = ?", principal.agent_id)
    return chosen
