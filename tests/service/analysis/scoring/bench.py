"""Scoring over a service in process, and what tests ask of it."""

from __future__ import annotations

from typing import Any

import msgspec

from assent.contract.analysis.profile_scores import (
    BatchScored,
    ProfileScored,
    ProfileScores,
    ProfileScoresQuery,
    ProfileScoreStats,
    ScoreWithProfile,
)
from assent.contract.analysis.scoring import (
    AddScoringDimension,
    CreateScoringProfile,
    ScoringDimension,
    ScoringDimensionChange,
    ScoringProfile,
    ScoringProfileChange,
    ScoringProfiles,
    ScoringProfilesQuery,
)
from assent_service.analysis.scoring import Profiles, ProfileScoring
from assent_service.core.principal import Principal
from tests.service.control.actions.world import World, locks_of

SPEED: dict[str, Any] = {
    "name": "speed",
    "data_source": "duration_ms",
    "scale": [
        {"label": "fast", "operator": "lt", "value": 1000, "score": 100},
        {"label": "fair", "operator": "between", "value": [1000, 5000], "score": 60},
    ],
}
RISK: dict[str, Any] = {
    "name": "risk",
    "data_source": "risk_score",
    "weight": 3,
    "scale": [
        {"label": "low", "operator": "lte", "value": 30, "score": 90},
        {"label": "high", "operator": "gt", "value": 30, "score": 20},
    ],
}


class Bench:
    """`by` is the admin unless somebody else is named."""

    def __init__(self, world: World) -> None:
        self.world = world
        ledger = world.service.ledger
        self.profiles = Profiles(ledger, world.clock, locks_of(ledger))
        self.scores = ProfileScoring(ledger, world.clock, self.profiles)

    async def profile(self, *dimensions: dict[str, Any], by: Principal | None = None, **members: Any) -> ScoringProfile:
        body = {"name": "care", "dimensions": list(dimensions), **members}
        return await self.profiles.create(by or self.world.admin, msgspec.convert(body, CreateScoringProfile))

    async def change(self, profile: ScoringProfile, by: Principal | None = None, **members: Any) -> ScoringProfile:
        said = msgspec.convert(members, ScoringProfileChange)
        return await self.profiles.update(by or self.world.admin, profile.id, said)

    async def get(self, profile_id: str, by: Principal | None = None) -> ScoringProfile:
        return await self.profiles.get(by or self.world.admin, profile_id)

    async def listed(self, by: Principal | None = None, **query: Any) -> ScoringProfiles:
        return await self.profiles.page(by or self.world.admin, msgspec.convert(query, ScoringProfilesQuery))

    async def add(self, profile: ScoringProfile, **members: Any) -> ScoringDimension:
        said = msgspec.convert(members, AddScoringDimension)
        return await self.profiles.add(self.world.admin, profile.id, said)

    async def alter(self, dimension: ScoringDimension, **members: Any) -> ScoringDimension:
        said = msgspec.convert(members, ScoringDimensionChange)
        return await self.profiles.alter(self.world.admin, dimension.profile_id, dimension.id, said)

    async def score(
        self, profile: ScoringProfile, action: dict[str, Any] | str, by: Principal | None = None, **members: Any
    ) -> ProfileScored:
        said = ScoreWithProfile(profile_id=profile.id, action=action, **members)
        return await self.scores.one(by or self.world.admin, said, action)

    async def batch(
        self, profile: ScoringProfile, actions: list[dict[str, Any] | str], by: Principal | None = None, **members: Any
    ) -> BatchScored:
        said = ScoreWithProfile(profile_id=profile.id, actions=actions, **members)
        return await self.scores.many(by or self.world.admin, said, actions)

    async def page(self, by: Principal | None = None, **query: Any) -> ProfileScores:
        return await self.scores.page(by or self.world.admin, msgspec.convert(query, ProfileScoresQuery))

    async def stats(self, profile_id: str | None, by: Principal | None = None, **query: Any) -> ProfileScoreStats:
        asked = msgspec.convert({"profile_id": profile_id, "view": "stats", **query}, ProfileScoresQuery)
        return await self.scores.stats(by or self.world.admin, asked)
