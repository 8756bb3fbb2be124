"""The sections of the settings page: what the address asks for, who may use them, and what makes them stale."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from assent import EventName, Role


class Section(StrEnum):
    """As the address names them."""

    KEYS = "keys"
    PAIRINGS = "pairings"
    IDENTITIES = "identities"
    WEBHOOKS = "webhooks"
    KILL_SWITCH = "kill-switch"


LABELS = {
    Section.KEYS: "Keys",
    Section.PAIRINGS: "Pairings",
    Section.IDENTITIES: "Identities",
    Section.WEBHOOKS: "Webhooks",
    Section.KILL_SWITCH: "Kill switch",
}
OF_ADMINS = frozenset(Section) - {Section.KILL_SWITCH}
WATCHED: Mapping[Section, frozenset[EventName]] = {
    Section.KEYS: frozenset(),
    Section.PAIRINGS: frozenset({EventName.PAIRING_CREATED, EventName.PAIRING_UPDATED}),
    Section.IDENTITIES: frozenset({EventName.IDENTITY_CREATED, EventName.IDENTITY_UPDATED}),
    Section.WEBHOOKS: frozenset(),
    Section.KILL_SWITCH: frozenset({EventName.HALT_CHANGED}),
}
"""What the stream tells of each. Of keys and webhooks it never tells anything."""


def read(address: Mapping[str, str], role: Role) -> tuple[Section, str | None]:
    """The section that an address asks for, and a sentence when it means none. A pairing's link needs no section;
    without either, the first one that the role may use."""
    given = address.get("section", "").strip()
    if given in list(Section):
        return Section(given), None
    first = Section.KEYS if role is Role.ADMIN else Section.KILL_SWITCH
    if address.get("pairing_id", "").strip():
        first = Section.PAIRINGS
    if not given:
        return first, None
    return first, f"There is no section {given[:40]!r}. Showing {LABELS[first].lower()} instead."


def may(section: Section, role: Role) -> bool:
    return section not in OF_ADMINS or role is Role.ADMIN
