"""Keeping an agent's state, section by section and item by item.

1. An item that is wrong is named with its place, and the others of its section and all other sections are kept.
2. A failure of the service itself (the log cannot be written) ends the whole call with its own answer: what was kept
   until then stays, and repeating the call keeps the rest.
3. Actions are kept in their order, since one may name another as its parent; of the rest several at a time.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from typing import Any

from assent.contract.problems import Code
from assent.contract.sync import LARGEST, Section, SectionResult, SyncError, SyncResult, SyncState
from assent_service.core.principal import Principal
from assent_service.core.problem import Refusal, refuse
from assent_service.sync.sections import PREFERENCE_OF, Keep, Nouns

AT_ONCE = 16
NAMED = 100
"""How many errors of a section are named."""

Item = tuple[int, Any, Keep]


class Sync:
    def __init__(self, nouns: Nouns) -> None:
        self._nouns = nouns

    async def state(self, principal: Principal, said: SyncState) -> SyncResult:
        """Raises `agent_mismatch` for a whole state that another agent's key sends, and what says that nothing can be
        recorded."""
        agent_id = principal.speaks_for(said.agent_id)
        began = time.monotonic()
        results: dict[str, SectionResult] = {}
        for section in Section:
            sent = getattr(said, section.value)
            if sent is not None:
                results[section.value] = await self._section(principal, section, sent, agent_id)
        return SyncResult(
            results=results,
            total_synced=sum(result.synced for result in results.values()),
            total_errors=sum(result.failed for result in results.values()),
            duration_ms=int((time.monotonic() - began) * 1000),
        )

    async def _section(self, principal: Principal, section: Section, sent: Any, agent_id: str | None) -> SectionResult:
        items = list(self._items(section, sent))
        slots = asyncio.Semaphore(1 if section is Section.ACTIONS else AT_ONCE)

        async def keep(index: int, item: Any, keeper: Keep) -> SyncError | Refusal | None:
            async with slots:
                return await _kept(principal, index, item, keeper, agent_id)

        largest = LARGEST[section]
        found = await asyncio.gather(*(keep(*each) for each in items[:largest]))
        errors = []
        for outcome in found:
            if isinstance(outcome, Refusal):
                raise outcome
            errors += [outcome] if outcome is not None else []
        errors += [_too_many(section, index) for index, _, _ in items[largest:]]
        return SectionResult(synced=len(items) - len(errors), failed=len(errors), errors=errors[:NAMED])

    def _items(self, section: Section, sent: Any) -> Iterator[Item]:
        """Every item with its place; of preferences the lists one after the other, unknown ones as errors."""
        if section is Section.MEMORY:
            yield 0, sent, self._nouns.keeper(section)
        elif section is Section.PREFERENCES:
            index = 0
            for part, items in sent.items():
                for item in items:
                    yield index, item, self._nouns.keeper(section, part) if part in PREFERENCE_OF else _unknown(part)
                    index += 1
        else:
            keeper = self._nouns.keeper(section)
            for index, item in enumerate(sent):
                yield index, item, keeper


async def _kept(
    principal: Principal, index: int, item: Any, keeper: Keep, agent_id: str | None
) -> SyncError | Refusal | None:
    """None when the item is kept; the refusal itself when nothing can be."""
    try:
        if not isinstance(item, dict):
            raise refuse(Code.INVALID_BODY, "An item is an object with the members of what it is.")
        named = item.get("agent_id") or item.get("agentId")
        if isinstance(named, str):
            # Before anything is looked up: what is there already is no answer for another agent's key.
            principal.speaks_for(named)
        await keeper(principal, item if named or agent_id is None else {**item, "agent_id": agent_id})
    except Refusal as refusal:
        if refusal.status >= 500:
            return refusal
        return SyncError(index=index, code=refusal.code.value, error=refusal.detail)
    return None


def _unknown(part: str) -> Keep:
    async def keep(principal: Principal, item: dict[str, Any]) -> None:
        raise refuse(Code.INVALID_BODY, f"preferences has no {part[:40]!r}; it has {', '.join(PREFERENCE_OF)}.")

    return keep


def _too_many(section: Section, index: int) -> SyncError:
    return SyncError(
        index=index,
        code=Code.PAYLOAD_TOO_LARGE.value,
        error=f"{section.value} takes {LARGEST[section]} items in one call; send this one in another.",
    )
