"""How far an action reaches beyond the agent: what the agent knows of it and policies may ask for."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

from msgspec import Meta

from assent.contract.record import Request


class DestinationVisibility(StrEnum):
    """Who can see where it goes."""

    PRIVATE = "private"
    INTERNAL = "internal"
    PARTNER = "partner"
    PUBLIC = "public"


class AccountProvenance(StrEnum):
    """Whose account it is done with: the agent's own, one that was lent to it, one that several use, or one of
    somebody outside."""

    OWN = "own"
    DELEGATED = "delegated"
    SHARED = "shared"
    THIRD_PARTY = "third_party"


class DataClassification(StrEnum):
    """The most sensitive data that it moves."""

    PUBLIC = "public"
    INTERNAL = "internal"
    CONFIDENTIAL = "confidential"
    RESTRICTED = "restricted"


class Externality(Request, frozen=True, kw_only=True):
    """Facts about where an action goes, with whose account, and what is moved. What nobody said is left out, in answers
    too.

    `reversal_bound_seconds` is within how long it can be taken back; 0 says not at all. Policies see the members as
    `externality.data_classification` and so on.
    """

    destination_visibility: DestinationVisibility | None = None
    account_provenance: AccountProvenance | None = None
    data_classification: DataClassification | None = None
    reversal_bound_seconds: Annotated[int, Meta(ge=0, le=2**53 - 1)] | None = None
