"""Asking and answering at a terminal, with a real service."""

from __future__ import annotations

import json
import os
import subprocess

import pytest

from tests.live import WAIT
from tests.stories.proving import ASSENT
from tests.stories.tenant import Tenant
from tests.tiers import deep


def run(tenant: Tenant, key: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    env = {name: value for name, value in os.environ.items() if not name.startswith("ASSENT_")}
    env |= {"ASSENT_BASE_URL": tenant.service.base_url, "ASSENT_API_KEY": tenant.keys[key]}
    return subprocess.run([ASSENT, *arguments], env=env, capture_output=True, text=True, timeout=WAIT, check=False)


@deep("a process for each command")
def test_a_question_and_its_answer(tenant: Tenant) -> None:
    tenant.governed()
    action_id = tenant.create("pay", agent_id="bot")
    asked = run(tenant, "operator", "ask", action_id, "Which\x1b[2J customer?", "--condition", "only 50 EUR")
    assert asked.returncode == 0, asked.stderr
    first, offered, _ = asked.stdout.splitlines()
    name = first.split()[1]
    assert (first, offered) == (f"Asked: {name} about {action_id}", "Offered: only 50 EUR")
    refused = run(tenant, "operator", "answer", name, "4711")
    assert refused.returncode != 0
    assert "role" in refused.stderr
    assert run(tenant, "agent", "answer", name, "For 4711.").stdout.startswith(f"Answered: {name} about {action_id}")
    header, line = run(tenant, "operator", "questions", "--action", action_id).stdout.splitlines()
    told = dict(zip(header.split("\t"), line.split("\t"), strict=True))
    assert (told["question_id"], told["state"], told["answer"]) == (name, "answered", "For 4711.")
    assert told["question"].startswith("Which")
    assert "\x1b" not in line
    page = json.loads(run(tenant, "operator", "questions", "--state", "open", "--json").stdout)
    assert page["questions"] == []
    assert tenant.action(action_id)["status"] == "pending_approval"


@deep("a process for each")
@pytest.mark.parametrize("wrong", [("ask", "act_1/../x", "why"), ("answer", "no id", "because"), ("ask", "act_1")])
def test_what_is_no_id_and_no_text_is_refused_before_it_is_sent(tenant: Tenant, wrong: tuple[str, ...]) -> None:
    assert run(tenant, "operator", *wrong).returncode == 2
