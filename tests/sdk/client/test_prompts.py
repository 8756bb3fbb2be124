"""Rendering that the client refuses before it is sent."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.sdk.client.doubles import Stage, Way, answering
from tests.sdk.client.exchanges.prompts import RENDERED


@pytest.mark.parametrize("said", [(), ({},), ({"variables": {"a": 1}},), ("",)])
async def test_rendering_nothing_is_refused(way: Way, said: tuple[Any, ...]) -> None:
    stage = Stage(way, answering({}))
    with pytest.raises(ValueError, match="give template_id or version_id"):
        await stage("render_prompt", *said)
    assert stage.requests == []


async def test_a_mapping_may_be_spelled_as_the_specification_does(way: Way) -> None:
    stage = Stage(way, answering(RENDERED))
    await stage("render_prompt", {"templateId": "pt_1", "agentId": "bot"})
    assert json.loads(stage.requests[0].content) == {"templateId": "pt_1", "agentId": "bot"}


async def test_the_mapping_that_was_given_stays_as_it_is(way: Way) -> None:
    stage, context = Stage(way, answering(RENDERED)), {"template_id": "pt_1"}
    await stage("render_prompt", context, variables={"a": 1})
    assert context == {"template_id": "pt_1"}
