"""Profiles and dimensions as they are stored, and as they are shown."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

import msgspec

from assent.contract.record import Record
from assent.contract.scales import CompositeMethod, DataSource, ScaleRule
from assent.contract.scoring import ProfileStatus, ScoringDimension, ScoringProfile


class StoredProfile(Record, frozen=True, kw_only=True):
    id: str
    org_id: str
    name: str
    description: str | None
    action_type: str | None
    composite_method: CompositeMethod
    metadata: dict[str, Any]
    status: ProfileStatus
    created_at: datetime
    created_by: str
    updated_at: datetime
    updated_by: str
    deleted_at: datetime | None


class StoredDimension(Record, frozen=True, kw_only=True):
    id: str
    org_id: str
    profile_id: str
    name: str
    description: str | None
    data_source: DataSource
    data_config: dict[str, Any]
    scale: list[ScaleRule]
    weight: float
    sort_order: int
    created_at: datetime
    created_by: str
    updated_at: datetime
    updated_by: str
    deleted_at: datetime | None


def shown(profile: StoredProfile, dimensions: Sequence[StoredDimension]) -> ScoringProfile:
    members = msgspec.structs.asdict(profile)
    del members["deleted_at"]
    return ScoringProfile(**members, dimensions=[shown_dimension(each) for each in dimensions])


def shown_dimension(dimension: StoredDimension) -> ScoringDimension:
    members = msgspec.structs.asdict(dimension)
    del members["deleted_at"]
    return ScoringDimension(**members)
