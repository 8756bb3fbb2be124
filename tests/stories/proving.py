"""A whole governed action, and what a stranger has: a file, a key set, an old head, and the command line."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from assent.contract.evidence.wallet import Jwks
from assent.proof.verify import verify
from tests.live import LiveService
from tests.stories.tenant import Tenant

ASSENT = Path(sys.executable).parent / "assent"
INVOICE = {"invoice": 7, "amount": 1250.5, "to": "Zoë €"}
PAYMENT: dict[str, Any] = {"declared_goal": "Pay invoice 7", "systems_touched": ["bank"], "parameters": INVOICE}
PROOF = "/api/governance/proof"
VERIFY = f"{PROOF}/verify"


def whole_action(tenant: Tenant) -> str:
    """Guarded, created, believed, waited for, approved with conditions, claimed and reported. `governed` before."""
    with tenant.client("agent", "payer") as agent, tenant.client("operator") as operator:
        assert agent.guard(action_type="pay", **PAYMENT).decision == "require_approval"
        action_id = agent.create_action("pay", **PAYMENT).action_id
        agent.record_assumption("The invoice is real", action_id=action_id, basis="the ledger")
        operator.approve_action(action_id, "allow", "Seen the invoice.", conditions=["Before noon"], valid_minutes=10)
        ready = agent.wait_for_approval(action_id)
        agent.claim_action(action_id, ready.action_type, ready.declared_goal, ready.systems_touched, INVOICE)
        agent.update_outcome(action_id, "completed", output_summary="paid")
    return action_id


def published_keys(service: LiveService, org_id: str) -> Jwks:
    """As anybody gets them, without a key."""
    status, answer = service.call("GET", f"/.well-known/jwks.json?org_id={org_id}", key=None)
    assert status == 200, answer
    return msgspec.convert(answer, Jwks)


def bundle_of(tenant: Tenant, action_id: str | None = None, *, since: int | None = None) -> dict[str, Any]:
    about = "" if action_id is None else f"&action_id={action_id}"
    grown = "" if since is None else f"&since={since}"
    return tenant.call("GET", f"{PROOF}?format=bundle{about}{grown}", key="operator")


def checks(found: Mapping[str, Any]) -> dict[str, str]:
    """Status by the name of the check."""
    return {check["name"]: check["status"] for check in found["checks"]}


def failing(found: Mapping[str, Any]) -> set[str]:
    assert found["ok"] == ("fail" not in checks(found).values())
    return {name for name, status in checks(found).items() if status == "fail"}


def offline(bundle: Any, keys: Jwks | None = None, since: str | None = None) -> dict[str, Any]:
    """The answer of `assent.proof.verify` as plain JSON."""
    found: dict[str, Any] = msgspec.to_builtins(verify(bundle, keys=keys, since=since))
    return found


def assent(*arguments: object) -> subprocess.CompletedProcess[str]:
    """The command in a process of its own that knows of no service."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("ASSENT_")}
    return subprocess.run(
        [ASSENT, *map(str, arguments)],
        cwd="/",
        env=environment | {"COLUMNS": "300"},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def log_verify(home: Path, head: str | None = None, *, at: Path) -> tuple[int, dict[str, tuple[str, str]]]:
    """Exit code of `assent log verify`, and status and detail by the name of each check; a kept head is "head"."""
    options: list[object] = []
    if head is not None:
        kept = at / "kept.note"
        kept.write_text(head, encoding="utf-8")
        options = ["--head", kept]
    done = assent("log", "verify", "--home", home, *options, "--json")
    found = json.loads(done.stdout)["checks"]
    return done.returncode, {each["name"].partition(" ")[0]: (each["status"], each["detail"]) for each in found}
