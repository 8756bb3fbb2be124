"""Feedback that the client refuses before it is sent."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.sdk.client.doubles import Stage, Way, answering
from tests.sdk.client.exchanges.feedback import FEEDBACK


@pytest.mark.parametrize("said", [(), (None, ""), ({},), ({"tags": ["x"]},), ({"rating": None, "comment": ""},)])
async def test_feedback_that_says_nothing_is_refused(way: Way, said: tuple[Any, ...]) -> None:
    stage = Stage(way, answering({}))
    with pytest.raises(ValueError, match="rating from 1 to 5, or a comment"):
        await stage("submit_feedback", *said)
    assert stage.requests == []


@pytest.mark.parametrize("said", [("act_1", 5), ({"rating": "5"},)])
async def test_another_order_of_arguments_is_explained(way: Way, said: tuple[Any, ...]) -> None:
    stage = Stage(way, answering({}))
    with pytest.raises(TypeError, match="the order is rating, comment, action_id"):
        await stage("submit_feedback", *said)
    assert stage.requests == []


async def test_a_client_without_an_agent_names_none(way: Way, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ASSENT_AGENT_ID", raising=False)
    stage = Stage(way, answering(FEEDBACK, 201), agent_id=None)
    await stage("submit_feedback", 5)
    assert json.loads(stage.requests[0].content) == {"rating": 5, "source": "sdk"}
