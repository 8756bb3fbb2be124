"""Read by mypy and basedpyright, never called: what the operations of scoring give, on both clients."""

from typing import assert_type

from assent import AsyncClient, Client
from assent.contract.analysis.profile_scores import BatchScored, ProfileScored, ProfileScores, ProfileScoreStats
from assent.contract.analysis.scoring import (
    DeletedScoringDimension,
    DeletedScoringProfile,
    ScoringDimension,
    ScoringProfile,
    ScoringProfiles,
)


def blocking(client: Client) -> None:
    assert_type(client.create_scoring_profile("care", composite_method="minimum"), ScoringProfile)
    assert_type(client.list_scoring_profiles(status="all"), ScoringProfiles)
    assert_type(client.get_scoring_profile("sp_1"), ScoringProfile)
    assert_type(client.update_scoring_profile("sp_1", action_type=None), ScoringProfile)
    assert_type(client.delete_scoring_profile("sp_1"), DeletedScoringProfile)
    assert_type(client.add_scoring_dimension("sp_1", "speed", "duration_ms", 2), ScoringDimension)
    assert_type(client.update_scoring_dimension("sp_1", "sd_1", weight=3, scale=None), ScoringDimension)
    assert_type(client.delete_scoring_dimension("sp_1", "sd_1"), DeletedScoringDimension)
    assert_type(client.score_with_profile("sp_1", {"duration_ms": 10}), ProfileScored)
    assert_type(client.score_with_profile("sp_1", client.get_action("act_1").action), ProfileScored)
    assert_type(client.batch_score_with_profile("sp_1", ["act_1", {"duration_ms": 10}]), BatchScored)
    assert_type(client.get_profile_scores(profile_id="sp_1"), ProfileScores)
    assert_type(client.get_profile_score_stats("sp_1"), ProfileScoreStats)


async def awaiting(client: AsyncClient) -> None:
    assert_type(await client.create_scoring_profile("care"), ScoringProfile)
    assert_type(await client.add_scoring_dimension("sp_1", "speed", "duration_ms"), ScoringDimension)
    assert_type(await client.score_with_profile("sp_1", "act_1"), ProfileScored)
    assert_type(await client.batch_score_with_profile("sp_1", []), BatchScored)
    assert_type(await client.get_profile_score_stats("sp_1"), ProfileScoreStats)
