"""Commands against a fake service: exit codes, the three kinds of output, errors with their next step."""

import json
from pathlib import Path
from typing import Any

import httpx
import pytest

from assent.cli.failures import MEANING, Exit
from assent.contract.problems import Code
from tests.sdk.cli.desk import Desk


@pytest.fixture
def desk() -> Desk:
    return Desk()


def test_every_exit_code_has_a_meaning_and_help_shows_it(desk: Desk) -> None:
    assert set(MEANING) == set(Exit)
    shown = " ".join(desk.run("--help").stdout.split())
    for code, meaning in MEANING.items():
        assert f"{code.value} {meaning}" in shown


@pytest.mark.parametrize(
    ("code", "exit"),
    [
        (Code.UNAUTHORIZED, Exit.UNAUTHORIZED),
        (Code.FORBIDDEN, Exit.UNAUTHORIZED),
        (Code.STORAGE_UNAVAILABLE, Exit.UNREACHABLE),
        (Code.INTERNAL_ERROR, Exit.UNREACHABLE),
        (Code.APPROVAL_EXPIRED, Exit.DENIED),
        (Code.ACTION_NOT_FOUND, Exit.REFUSED),
        (Code.NOT_AWAITING_APPROVAL, Exit.REFUSED),
        (Code.INVALID_BODY, Exit.REFUSED),
    ],
)
@pytest.mark.parametrize("flag", [[], ["--json"]])
def test_what_the_service_says_no_to_is_an_error_line_and_a_code(
    desk: Desk, code: Code, exit: Exit, flag: list[str]
) -> None:
    desk.refuse = code
    result = desk.run("approve", "act_1", *flag)
    assert result.exit_code == exit
    assert result.stdout == ""
    assert result.stderr.startswith("Error: ")
    assert code in result.stderr
    assert "What to do" in result.stderr


def test_nobody_there_is_code_three(monkeypatch: pytest.MonkeyPatch) -> None:
    from typer.testing import CliRunner

    from assent.cli.app import app

    result = CliRunner().invoke(
        app, ["halt", "status", "--base-url", "http://127.0.0.1:9", "--api-key", "k"], obj=quick_client
    )
    assert result.exit_code == Exit.UNREACHABLE
    assert "no answer from http://127.0.0.1:9" in result.stderr
    assert "assent start" in result.stderr


def quick_client(connection: object) -> object:
    from assent import Client
    from assent.cli.session import Connection

    assert isinstance(connection, Connection)
    return Client(connection.base_url, connection.api_key, retries=0)


@pytest.mark.parametrize(
    "arguments",
    [
        ["approve"],
        ["approve", ".."],
        ["approve", "a/b"],
        ["keys", "create", "x", "--role", "king"],
        ["nonsense"],
        ["policies", "create", "x", "condition", "{"],
        ["policies", "create", "x", "condition", "[]"],
        ["policies", "create", "x", "condition", "@/no/such/file"],
        ["policies", "import"],
        ["policies", "import", "/no/such/file"],
    ],
)
def test_what_cannot_be_asked_is_code_two_and_asks_nothing(desk: Desk, arguments: list[str]) -> None:
    result = desk.run(*arguments)
    assert (result.exit_code, result.stdout) == (Exit.USAGE, "")
    assert "Error: " in result.stderr
    assert desk.requests == []


def test_an_address_that_can_be_none_is_code_two() -> None:
    from typer.testing import CliRunner

    from assent.cli.app import app

    result = CliRunner().invoke(app, ["halt", "status", "--base-url", "ftp://x", "--api-key", "k"])
    assert result.exit_code == Exit.USAGE
    assert "base_url is 'ftp://x'" in result.stderr


def test_the_local_key_file_is_used_for_this_machine_only(desk: Desk, tmp_path: Path) -> None:
    (tmp_path / "admin.key").write_text("oc_live_fromfile\n")
    result = desk.run("halt", "status", "--home", str(tmp_path), key=None)
    assert result.exit_code == Exit.OK
    assert desk.sent_keys == {"oc_live_fromfile"}
    elsewhere = desk.run("halt", "status", "--home", str(tmp_path), "--base-url", "https://assent.example", key=None)
    assert elsewhere.exit_code == Exit.UNAUTHORIZED
    assert desk.sent_keys == {"oc_live_fromfile"}
    assert len(desk.requests) == 1
    assert "https://assent.example" in elsewhere.stderr
    assert "ASSENT_API_KEY" in elsewhere.stderr


def test_without_any_key_the_error_says_where_one_was_looked_for(desk: Desk, tmp_path: Path) -> None:
    result = desk.run("halt", "status", "--home", str(tmp_path), key=None)
    assert result.exit_code == Exit.UNAUTHORIZED
    assert str(tmp_path / "admin.key") in result.stderr
    (tmp_path / "admin.key").write_text("\n")
    assert "is empty" in desk.run("halt", "status", "--home", str(tmp_path), key=None).stderr


def test_a_created_key_is_printed_once_and_never_listed(desk: Desk) -> None:
    created = desk.run("keys", "create", "ci", "--role", "operator", "--agent-id", "bot")
    assert (created.exit_code, created.stdout) == (0, "oc_live_secretbeef\n")
    assert desk.keys["key_0"] | {"name": "ci", "role": "operator", "agent_id": "bot"} == desk.keys["key_0"]
    for flag in ([], ["--json"]):
        listed = desk.run("keys", "list", *flag)
        assert "beef" in listed.stdout
        assert "secret" not in listed.stdout + listed.stderr


def test_an_agents_key_is_bound_to_one_unless_any_is_said(desk: Desk) -> None:
    refused = desk.run("keys", "create", "ci")
    assert (refused.exit_code, refused.stdout) == (Exit.USAGE, "")
    assert "--agent" in refused.stderr
    assert "--any-agent" in refused.stderr
    for wrong in (["--agent", "bot"], ["--role", "operator"]):
        refused = desk.run("keys", "create", "ci", "--any-agent", *wrong)
        assert refused.exit_code == Exit.USAGE
    assert desk.keys == {}, "nothing was made"
    desk.run("keys", "create", "one", "--agent", "bot")
    desk.run("keys", "create", "many", "--any-agent")
    found = [(key["agent_id"], key["any_agent"]) for key in desk.keys.values()]
    assert found == [("bot", False), (None, True)]


def test_lists_in_a_pipe_are_tab_separated_with_a_header(desk: Desk) -> None:
    desk.run("keys", "create", "tab\there\nand\x1b[31mred", "--any-agent")
    header, row = desk.run("keys", "list").stdout.splitlines()
    assert header.split("\t") == ["key_id", "name", "role", "agent_id", "hint", "created_at", "revoked_at"]
    assert row.split("\t") == ["key_0", "tab here and�[31mred", "agent", "", "beef", "2026-05-01T09:00:00Z", ""]


@pytest.mark.parametrize(
    ("arguments", "members"),
    [
        (["keys", "list"], {"keys"}),
        (["keys", "create", "a", "--agent", "bot"], {"key", "api_key"}),
        (["keys", "revoke", "key_0"], {"key", "revoked"}),
        (["policies", "list"], {"policies", "version"}),
        (["policies", "create", "p", "block_action_type", '{"action_types": ["x"]}'], {"policy", "warnings"}),
        (["policies", "enable", "pol_0"], {"policy", "warnings"}),
        (["policies", "disable", "pol_0"], {"policy", "warnings"}),
        (["policies", "delete", "pol_0"], {"deleted", "policy_id"}),
        (["policies", "import", "--pack", "default"], {"imported", "unchanged", "deleted", "policies", "warnings"}),
        (
            ["policies", "test", '{"action_type": "x"}'],
            {"success", "total", "passed", "failed", "results", "result"},
        ),
        (["halt", "on", "fire"], {"halted", "reason", "changed_at", "changed_by"}),
        (["halt", "off"], {"halted", "reason", "changed_at", "changed_by"}),
        (["halt", "status"], {"halted", "reason", "changed_at", "changed_by"}),
        (["approvals"], {"approvals", "total"}),
        (["approve", "WAITING"], {"success", "action", "approval"}),
        (["deny", "WAITING"], {"success", "action", "approval"}),
        (["version"], {"version"}),
    ],
)
def test_json_is_one_document_and_nothing_else(desk: Desk, arguments: list[str], members: set[str]) -> None:
    waiting = desk.waits("deploy")
    desk.run("keys", "create", "first", "--role", "operator")
    desk.run("policies", "create", "first", "rate_limit", "{}")
    result = desk.run(*[waiting if word == "WAITING" else word for word in arguments], "--json")
    assert result.exit_code == 0, result.stderr
    assert result.stderr == ""
    assert set(json.loads(result.stdout)) == members
    assert result.stdout.count("\n") == 1


def test_policies_are_made_switched_tried_and_removed(desk: Desk, tmp_path: Path) -> None:
    file = tmp_path / "rules.json"
    file.write_text('{"action_types": ["wipe"]}')
    made = desk.run("policies", "create", "No wiping", "block_action_type", f"@{file}", "--mode", "observe")
    assert made.stdout == "Created: pol_0\n"
    policy = desk.policies["pol_0"]
    assert (policy["rules"], policy["mode"], policy["active"]) == ({"action_types": ["wipe"]}, "observe", True)
    assert desk.run("policies", "disable", "pol_0").stdout == "Disabled: pol_0\n"
    assert desk.policies["pol_0"]["active"] is False
    assert desk.run("policies", "enable", "pol_0").stdout == "Enabled: pol_0\n"
    assert '{"action_types":["wipe"]}' in desk.run("policies", "list").stdout
    tried = desk.run("policies", "test", "-", input='{"action_type": "wipe"}')
    assert tried.stdout.splitlines() == ["block (risk 72.5)", "  policy says block"]
    assert desk.run("policies", "delete", "pol_0").stdout == "Deleted: pol_0\n"
    assert desk.run("policies", "delete", "pol_0").exit_code == Exit.REFUSED


def test_why_guard_would_stop_something_is_said_in_words() -> None:
    class Told(Desk):
        def try_policies(self, request: httpx.Request, body: dict[str, Any]) -> tuple[int, object]:
            status, answer = super().try_policies(request, body)
            answer["result"] |= {"reasons": ["Costs: risk_score gte 60"], "warnings": ["Costs: amount exists true"]}  # type: ignore[index]
            return status, answer

    Told.routes = [("POST", "/api/policies/test", Told.try_policies), *Desk.routes]
    lines = Told().run("policies", "test", "-", input='{"action_type": "pay"}').stdout.splitlines()
    assert lines[1:] == ["  Costs: risk score is at least 60", "  Costs: amount is there"]


def test_a_policy_that_cannot_be_read_makes_the_check_fail(desk: Desk) -> None:
    result = desk.run("policies", "test")
    assert result.exit_code == Exit.REFUSED
    assert "cannot be used: odd: cannot be read" in result.stdout
    assert "1 of 1 policies" in result.stderr


def test_a_pack_goes_to_the_service_as_it_is(desk: Desk, tmp_path: Path) -> None:
    file = tmp_path / "pack.yaml"
    file.write_text("policies: []  # ümlaut\n", encoding="utf-8")
    result = desk.run("policies", "import", str(file), "--replace")
    assert result.stdout == "Imported: 2, unchanged: 1, deleted: 0\n"
    assert desk.imported == {"yaml": "policies: []  # ümlaut\n", "replace": True}


def test_the_kill_switch_says_what_it_is(desk: Desk) -> None:
    assert desk.run("halt", "on", "fire\x1b[2J").stdout == "Halted by root at 2026-05-01T09:00:00Z: fire�[2J\n"
    assert desk.run("halt", "off").stdout.startswith("Not halted")
    assert desk.halted is None


def test_help_does_not_pay_for_the_client() -> None:
    import subprocess
    import sys

    code = (
        "import sys\nfrom assent.cli.app import app\n"
        "try:\n    app(['--help'])\nexcept SystemExit:\n    pass\n"
        "heavy = {'httpx', 'cryptography', 'duckdb', 'yaml', 'rich', 'litestar', 'assent_service'}\n"
        "print(sorted(heavy & set(sys.modules)), file=sys.stderr)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr.strip() == "[]"
