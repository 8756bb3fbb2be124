"""Connections as agents report them: each is read by itself, so that a wrong one costs none of the others. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec

from assent.contract.agents import ConnectionReport, RefusedConnection
from assent.contract.prepared import prepared
from assent.contract.spelling import respell
from assent_service.agents.size import MOST_BYTES
from assent_service.core.faithful import check_kept
from assent_service.core.problem import Refusal


def read_reports(items: Iterable[object]) -> tuple[list[ConnectionReport], list[RefusedConnection]]:
    """Those that can be kept, and what is wrong with the others; both in their order."""
    good: list[ConnectionReport] = []
    errors: list[RefusedConnection] = []
    for index, item in enumerate(items):
        try:
            good.append(_read(item))
        except (msgspec.ValidationError, Refusal) as error:
            errors.append(RefusedConnection(index=index, provider=_provider(item), error=str(error)))
    return good, errors


def _read(item: object) -> ConnectionReport:
    """Raises msgspec.ValidationError, and Refusal for metadata that cannot be kept."""
    members: object = respell(item) if isinstance(item, dict) else item
    report = msgspec.convert(members, prepared(ConnectionReport))
    check_kept(report.metadata or {}, "metadata", MOST_BYTES)
    return report


def _provider(item: Any) -> str | None:
    provider = item.get("provider") if isinstance(item, dict) else None
    return provider[:128] if isinstance(provider, str) else None
