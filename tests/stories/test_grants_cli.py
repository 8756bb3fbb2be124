"""`assent grants` against a running service."""

from __future__ import annotations

import json
from typing import Any

import pytest
from typer.testing import CliRunner

from assent.cli.app import app
from assent.cli.failures import Exit
from tests.stories.tenant import Tenant
from tests.stories.test_grants import SMALL, create, grant, later, runs
from tests.tiers import deep


@pytest.fixture
def asking(tenant: Tenant) -> Tenant:
    tenant.governed()
    return tenant


def run(tenant: Tenant, *arguments: str) -> Any:
    environment = {
        "ASSENT_API_KEY": tenant.keys["operator"], "ASSENT_BASE_URL": tenant.service.base_url, "ASSENT_HOME": None,
        "COLUMNS": "300",
    }  # fmt: skip
    return CliRunner().invoke(app, ["grants", *arguments], env=environment)


def told(tenant: Tenant, *arguments: str) -> Any:
    result = run(tenant, *arguments, "--json")
    assert result.exit_code == 0, result.stderr
    return json.loads(result.stdout)


def test_a_grant_is_drafted_given_listed_and_ended(asking: Tenant) -> None:
    assert run(asking, "list").stdout.startswith("grant_id\tstate\t")
    waiting = create(asking).body["action_id"]
    shown = run(asking, "draft", waiting).stdout
    assert "--agent payer pay --max-risk" in shown
    assert '"field":"parameters.amount","op":"eq","value":40' in shown
    made = told(
        asking, "create", "pay", "--agent", "payer", "--agent", "other", "--max-risk", "60", "--uses", "2",
        "--hours", "1", "--when", json.dumps(SMALL), "--reason", "The sale.", "--from", waiting,
    )["grant"]  # fmt: skip
    assert (made["agent_ids"], made["max_uses"], made["when"]) == (["payer", "other"], 2, SMALL)
    assert made["from_action_id"] == waiting
    through = create(asking)
    assert runs(through)
    (listed,) = told(asking, "list", "--state", "live")["grants"]
    assert (listed["grant_id"], listed["used"]) == (made["grant_id"], 1)
    row = run(asking, "list").stdout.splitlines()[1].split("\t")
    assert row[:5] == [made["grant_id"], "live", "payer,other", "pay", "1/2"]
    detail = run(asking, "get", made["grant_id"]).stdout
    assert "used 1 of 2" in detail
    assert through.body["action_id"] in detail
    ended = run(asking, "revoke", made["grant_id"], "--reason", "The sale is over.").stdout
    assert ended == f"Revoked: {made['grant_id']}, used 1 times\n"
    assert "revoked at" in run(asking, "get", made["grant_id"]).stdout
    assert not runs(create(asking))


@deep("another command line is in the quick tier")
def test_a_draft_says_that_no_grant_would_help(tenant: Tenant) -> None:
    tenant.policy("Ask before paying", "require_approval", {"action_types": ["pay"]}, always_ask="always")
    shown = run(tenant, "draft", create(tenant).body["action_id"]).stdout
    assert "no grant lets this through: a policy always asks" in shown


@deep("seven commands")
def test_when_it_ends_has_to_be_said_once_and_readably(asking: Tenant) -> None:
    given = ("create", "pay", "--agent", "a", "--max-risk", "1", "--uses", "1", "--reason", "r")
    for wrong in ((), ("--hours", "1", "--until", later(hours=1)), ("--until", "friday")):
        assert run(asking, *given, *wrong).exit_code == Exit.USAGE
    assert run(asking, *given, "--hours", "3000").exit_code == Exit.REFUSED
    assert told(asking, *given, "--until", later(minutes=5))["state"] == "live"
    grant_id = grant(asking)
    assert run(asking, "get", grant_id[:-1] + "x").exit_code == Exit.REFUSED
