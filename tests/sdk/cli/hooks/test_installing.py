"""`assent hooks` as a user runs it: a settings file in, a valid one out, and proof that it blocks."""

from __future__ import annotations

import json
import shutil
import stat
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from assent import Client
from assent.cli.failures import Exit
from tests.live import LiveService, start_service
from tests.sdk.cli.command import ASSENT, run
from tests.tiers import deep

pytestmark = deep("each installation asks the hook as a process, five times")

SETTINGS = Path(__file__).with_name("claude_settings.json")


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveService]:
    with start_service(tmp_path_factory.mktemp("service") / "home") as running:
        yield running


class User:
    """Somebody with a home of their own and a coding assistant in it."""

    def __init__(self, home: Path, service: LiveService) -> None:
        self.home, self.service, self.key = home, service, service.admin_key
        home.mkdir()

    @property
    def settings(self) -> Path:
        return self.home / ".claude" / "settings.json"

    def has(self, text: str) -> None:
        self.settings.parent.mkdir(exist_ok=True)
        self.settings.write_text(text, encoding="utf-8")

    def run(self, *words: str, inside: Path | None = None, **environment: str) -> subprocess.CompletedProcess[str]:
        service = {"HOME": str(self.home), "ASSENT_BASE_URL": self.service.base_url, "ASSENT_API_KEY": self.key}
        said = self.home.with_name("exchanges")
        without = ("ASSENT_", "XDG_")
        return run("hooks", *words, environment=service | environment, folder=said, without=without, inside=inside)

    def installs(self, *words: str, host: str = "claude") -> dict[str, Any]:
        ran = self.run("install", host, "--yes", "--json", *words)
        assert ran.returncode == 0, ran.stderr
        said: dict[str, Any] = json.loads(ran.stdout)
        return said

    def document(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.settings.read_text(encoding="utf-8"))
        return found

    def configuration(self) -> dict[str, Any]:
        (file,) = (self.home / ".config" / "assent" / "hooks").iterdir()
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
        found: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
        return found


@pytest.fixture
def user(tmp_path: Path, service: LiveService) -> User:
    return User(tmp_path / "ann", service)


def own_hooks(document: dict[str, Any]) -> list[dict[str, Any]]:
    return [
        hook
        for groups in document.get("hooks", {}).values()
        for group in groups
        for hook in group.get("hooks", [])
        if "assent-hook" in hook.get("command", "").split(" ")[0]
    ]


@deep("the one installation of the quick tier", quick=True)
def test_in_and_out_of_a_real_settings_file(user: User) -> None:
    original = SETTINGS.read_text(encoding="utf-8")
    user.has(original)
    user.settings.chmod(0o644)
    said = user.installs()
    assert said["changed"]
    assert {check["name"]: check["passed"] for check in said["checks"]} == {
        "a harmless call that is let through": True,
        "a destructive call that is let through": True,
        "unreachable service": True,
        "input that is not JSON": True,
        "blocked by a policy": True,
    }
    assert Path(said["backup"]).read_text(encoding="utf-8") == original
    assert stat.S_IMODE(user.settings.stat().st_mode) == 0o644
    installed = user.settings.read_text(encoding="utf-8")
    assert len(own_hooks(user.document())) == 2
    assert all(hook["timeout"] == 600 for hook in own_hooks(user.document()))
    key = user.configuration()["api_key"]

    again = user.installs()
    assert (again["changed"], again["backup"]) == (False, None)
    assert user.settings.read_text(encoding="utf-8") == installed
    assert user.configuration()["api_key"] == key, "an installation that holds keeps its key"

    out = user.run("uninstall", "claude", "--yes", "--json")
    assert json.loads(out.stdout)["uninstalled"] is True
    assert json.dumps(user.document()) == json.dumps(json.loads(original))
    assert not list((user.home / ".config" / "assent" / "hooks").iterdir())
    once_more = user.run("uninstall", "claude", "--yes", "--json")
    assert (once_more.returncode, json.loads(once_more.stdout)["uninstalled"]) == (0, False)
    assert json.dumps(user.document()) == json.dumps(json.loads(original))


def test_nothing_was_there(user: User) -> None:
    said = user.installs("--agent-id", "anns-laptop")
    assert said["backup"] is None
    assert stat.S_IMODE(user.settings.stat().st_mode) == 0o600
    known = user.configuration()
    assert (known["agent_id"], known["mode"], known["base_url"]) == ("anns-laptop", "enforce", user.service.base_url)
    assert (known["allow"], known["version"]) == ("pass", 2)
    status, own = user.service.call("GET", "/api/keys/own", key=known["api_key"])
    assert (status, own["role"]) == (200, "agent")
    user.run("uninstall", "claude", "--yes")
    assert user.document() == {}


def test_the_difference_is_shown_and_nobody_is_asked_for_nothing(user: User) -> None:
    user.has('{"model": "x"}')
    ran = user.run("install", "claude")
    assert ran.returncode == Exit.USAGE
    assert any(line.startswith("+") and "assent-hook" in line for line in ran.stderr.splitlines())
    assert "--yes" in ran.stderr
    assert user.settings.read_text() == '{"model": "x"}'
    assert not (user.home / ".config").exists()


@pytest.mark.parametrize("text", ["{", "[]", '{"hooks": []}', '{"hooks": {"PreToolUse": {}}}'])
def test_what_cannot_be_understood_is_left_alone(user: User, text: str) -> None:
    user.has(text)
    for command in ("install", "uninstall"):
        ran = user.run(command, "claude", "--yes")
        assert ran.returncode == Exit.USAGE, ran
        assert "nothing was changed" in ran.stderr
        assert user.settings.read_text() == text
    assert not (user.home / ".config").exists()


def test_a_settings_file_that_is_read_only_leaves_the_earlier_installation_as_it_was(user: User) -> None:
    user.installs()
    user.settings.chmod(0o444)
    ran = user.run("install", "claude", "--yes", "--mode", "observe")
    assert ran.returncode == Exit.USAGE
    assert "read-only" in ran.stderr
    assert user.configuration()["mode"] == "enforce"


def test_for_one_project_and_through_a_link(user: User, tmp_path: Path) -> None:
    project, real = tmp_path / "project", tmp_path / "dotfiles.json"
    (project / ".claude").mkdir(parents=True)
    real.write_text('{"model": "x"}')
    (project / ".claude" / "settings.local.json").symlink_to(real)
    user.installs("--project", str(project))
    assert not user.settings.exists()
    assert (project / ".claude" / "settings.local.json").is_symlink()
    assert len(own_hooks(json.loads(real.read_text()))) == 2
    assert user.run("test", "claude", "--project", str(project)).returncode == 0


def test_codex(user: User) -> None:
    said = user.installs(host="codex")
    file = user.home / ".codex" / "hooks.json"
    assert said["settings"] == str(file)
    assert all("--host codex" in hook["command"] for hook in own_hooks(json.loads(file.read_text())))
    refused = user.run("install", "codex", "--yes", "--approvals", "host")
    assert refused.returncode == Exit.USAGE
    assert "cannot ask" in refused.stderr
    refused = user.run("install", "codex", "--yes", "--allow", "say")
    assert refused.returncode == Exit.USAGE
    assert "takes no yes" in refused.stderr


def test_observing_is_proven_too(user: User) -> None:
    said = user.installs("--mode", "observe")
    assert [check["passed"] for check in said["checks"]] == [True] * 5
    assert not any("exit 2" in hook["command"] for hook in own_hooks(user.document()))


def test_an_operators_key_cannot_install_and_is_told_why(user: User) -> None:
    user.key = user.service.call("POST", "/api/keys", {"name": "op", "role": "operator"})[1]["api_key"]
    user.has('{"model": "x"}')
    ran = user.run("install", "claude", "--yes")
    assert ran.returncode == Exit.UNAUTHORIZED
    assert "admin key" in ran.stderr
    assert user.settings.read_text() == '{"model": "x"}'
    assert not (user.home / ".config").exists()


def test_whoever_approves_at_the_host_has_an_operators_key(user: User) -> None:
    user.installs()
    first = user.configuration()["api_key"]
    user.installs("--approvals", "host")
    second = user.configuration()["api_key"]
    assert first != second
    own = user.service.call("GET", "/api/keys/own", key=second)[1]
    assert own["role"] == "operator"


@pytest.mark.parametrize(
    "options",
    [
        ("--mode", "off"),
        ("--approvals", "nobody"),
        ("--allow", "everything"),
        ("--wait", "600"),
        ("--wait", "-1"),
        ("--project", "/no"),
    ],
)
def test_options_that_cannot_be(user: User, options: tuple[str, str]) -> None:
    assert user.run("install", "claude", "--yes", *options).returncode == Exit.USAGE
    assert list(user.home.iterdir()) == []


def test_proving_what_is_not_installed(user: User) -> None:
    ran = user.run("test", "claude")
    assert ran.returncode == Exit.USAGE
    assert "assent hooks install claude" in ran.stderr


def test_proving_beside_an_installation_of_the_project_names_it(user: User, tmp_path: Path) -> None:
    project = tmp_path / "project"
    project.mkdir()
    user.installs("--project", str(project))
    ran = user.run("test", "claude", inside=project)
    assert ran.returncode == Exit.USAGE
    assert "`assent hooks test claude --project .`" in ran.stderr
    assert user.run("test", "claude", "--project", ".", inside=project).returncode == 0


def test_policies_that_stop_nothing_destructive_are_told(user: User) -> None:
    said = "No enforced policy stops `rm -rf /`"
    installed = user.run("install", "claude", "--yes")
    assert (installed.returncode, said in installed.stderr) == (0, True), installed.stderr
    rules = {"when": {"all": [{"field": "risk_score", "op": "gte", "value": 90}]}, "action": "block"}
    with Client(user.service.base_url, user.key) as client:
        made = client.create_policy("Nothing destroys", "condition", rules).policy
        try:
            assert said not in user.run("test", "claude").stderr
        finally:
            client.delete_policy(made.policy_id)
    assert said in user.run("test", "claude").stderr


ALLOWING = '#!/bin/sh\necho \'{"hookSpecificOutput": {"permissionDecision": "allow"}}\'\nexit 0\n'
SABOTAGE = {
    "lets everything through": ALLOWING,
    "says nothing": "#!/bin/sh\nexit 0\n",
    "crashes": "#!/bin/sh\nexit 1\n",
    "says no to everything": "#!/bin/sh\nexit 2\n",
    "says no without having asked": '#!/bin/sh\ncat > /dev/null\n[ -n "$ASSENT_BASE_URL" ] && exit 2\n'
    'echo \'{"hookSpecificOutput": {"permissionDecision": "deny", "permissionDecisionReason": "no"}}\'\n',
}


@pytest.mark.parametrize("text", SABOTAGE.values(), ids=SABOTAGE.keys())
def test_a_hook_that_does_not_ask_fails_its_test(user: User, tmp_path: Path, text: str) -> None:
    user.installs()
    fake = tmp_path / "fake" / "assent-hook"
    fake.parent.mkdir()
    fake.write_text(text)
    fake.chmod(0o755)
    real = shutil.which("assent-hook", path=str(ASSENT.parent))
    assert real is not None
    user.has(user.settings.read_text().replace(real, str(fake)))
    ran = user.run("test", "claude", "--json")
    assert ran.returncode == Exit.REFUSED, ran
    assert "does not hold" in ran.stderr
    checks = {check["name"]: check["passed"] for check in json.loads(ran.stdout)["checks"]}
    assert checks["blocked by a policy"] is False


def test_without_what_makes_every_failure_a_no_the_test_still_holds_and_with_a_lost_key_it_fails(user: User) -> None:
    user.installs()
    (file,) = (user.home / ".config" / "assent" / "hooks").iterdir()
    file.write_text(json.dumps(user.configuration() | {"api_key": "oc_live_nobody"}))
    ran = user.run("test", "claude", "--json")
    assert ran.returncode == Exit.REFUSED
    checks = {check["name"]: check["passed"] for check in json.loads(ran.stdout)["checks"]}
    assert [name for name, passed in checks.items() if not passed] == ["blocked by a policy"]


@pytest.mark.parametrize("host", ["claude", "codex"])
def test_an_installation_of_an_older_version_is_told_and_upgraded(user: User, host: str) -> None:
    theirs = {"matcher": "Bash", "hooks": [{"type": "command", "command": "echo theirs"}]}
    settings = user.settings if host == "claude" else user.home / ".codex" / "hooks.json"
    settings.parent.mkdir()
    settings.write_text(json.dumps({"model": "x", "hooks": {"PreToolUse": [theirs]}}))
    user.installs(host=host)
    installed = settings.read_text()
    (file,) = (user.home / ".config" / "assent" / "hooks").iterdir()
    known = user.configuration()
    file.write_text(json.dumps({name: value for name, value in known.items() if name != "version"} | {"allow": "say"}))

    tested = user.run("test", host, "--json")
    assert tested.returncode == Exit.REFUSED
    checks = {check["name"]: check for check in json.loads(tested.stdout)["checks"]}
    assert [name for name, check in checks.items() if not check["passed"]] == ["installed by a current version"]
    assert f"run `assent hooks install {host}`" in checks["installed by a current version"]["detail"]

    ran = user.run("install", host, "--yes")
    assert ran.returncode == 0, ran.stderr
    assert "Upgraded from version 1 of the hooks to 2" in ran.stderr
    assert user.configuration() == known
    assert settings.read_text() == installed, "what else is in the settings stays"
    assert user.run("test", host).returncode == 0
    again = user.run("install", host, "--yes")
    assert (again.returncode, user.configuration()) == (0, known)
    assert "Upgraded" not in again.stderr


def test_saying_go_ahead_is_chosen_and_proven(user: User) -> None:
    said = user.installs("--allow", "say")
    assert user.configuration()["allow"] == "say"
    checks = {check["name"]: check for check in said["checks"]}
    assert '"permissionDecision": "allow"' in checks["a harmless call that is let through"]["detail"]
    assert checks["a destructive call that is let through"] == {
        "name": "a destructive call that is let through", "passed": True, "detail": "exit code 0"
    }  # fmt: skip
    assert user.run("test", "claude").returncode == 0


def test_a_hook_that_says_go_ahead_to_what_destroys_fails_its_test(user: User, tmp_path: Path) -> None:
    user.installs("--allow", "say")
    fake = tmp_path / "fake" / "assent-hook"
    fake.parent.mkdir()
    fake.write_text(ALLOWING)
    fake.chmod(0o755)
    real = shutil.which("assent-hook", path=str(ASSENT.parent))
    assert real is not None
    user.has(user.settings.read_text().replace(real, str(fake)))
    checks = {
        each["name"]: each["passed"] for each in json.loads(user.run("test", "claude", "--json").stdout)["checks"]
    }
    assert checks["a harmless call that is let through"] is True
    assert checks["a destructive call that is let through"] is False


def test_the_policy_of_the_test_is_gone_afterwards(user: User) -> None:
    user.installs()
    policies = user.service.call("GET", "/api/policies")[1]["policies"]
    assert not [policy for policy in policies if "Self-test" in policy["name"]]
