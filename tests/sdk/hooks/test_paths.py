"""Where a path leads, and what kind of file it is."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assent.hooks.paths import place, resolved

FOLDER, HOME = "/people/dev/shop", "/people/dev"
SENSITIVE = {
    ".env": "secrets",
    "config/.env.production": "secrets",
    "x/../.env": "secrets",
    "./secrets.yaml": "secrets",
    "token.txt": "secrets",
    "/proc/1/environ": "secrets",
    "~/.ssh/config": "credentials",
    "$HOME/.ssh/id_rsa": "credentials",
    "${HOME}/.aws/credentials": "credentials",
    "../.docker/config.json": "credentials",
    "deploy/id_ed25519": "credentials",
    "a.pem": "credentials",
    "A.PEM": "credentials",
    ".npmrc": "credentials",
    "credentials.json": "credentials",
    "C:\\Users\\x\\.ssh\\id_rsa": "credentials",
    "/etc/shadow": "system accounts",
    "../../../etc/passwd": "system accounts",
    "/etc/hosts": "system",
    "/usr/bin/env": "system",
    "C:/Windows/system32": "system",
    "~/.bashrc": "start-up files",
    ".git/hooks/pre-commit": "git hooks",
    ".claude/settings.json": "assistant settings",
    ".claude/hooks/mine.sh": "assistant settings",
    "~/.codex/config.toml": "assistant settings",
    ".mcp.json": "assistant settings",
    "~/.config/assent/hooks/claude-1.json": "governance",
    ".assent/admin.key": "credentials",
    ".assent/log": "governance",
    "~/.local/state/assent/hooks/waiting-1": "governance",
    ".github/workflows/ci.yml": "continuous integration",
    "/var/spool/cron/crontab": "scheduled jobs",
}
ORDINARY = (
    *(".env.example", ".env.sample", "src/env.py", "environment.yml", "src/tokens.py", "token.ts", "secretary.txt"),
    *("id_rsa.pub", "keys.py", "monkey.txt", "pem.md", "docs/credentials.md", "etc/hosts", "usr/bin/x", "bashrc"),
    *("src/hooks/a.py", ".claude/notes.md", ".github/README.md", "/dev/null", "crontab.py", ".gitignore", "~/x/bin"),
)


@pytest.mark.parametrize("path", SENSITIVE)
def test_sensitive(path: str) -> None:
    assert place(path, FOLDER, HOME).sensitive == SENSITIVE[path]


@pytest.mark.parametrize("path", ORDINARY)
def test_ordinary(path: str) -> None:
    assert place(path, FOLDER, HOME).sensitive is None


@pytest.mark.parametrize(
    ("path", "outside", "traversal"),
    [
        ("src/a.py", False, False),
        ("./a", False, False),
        ("src/../a", False, False),
        (FOLDER, False, False),
        (f"{FOLDER}/a", False, False),
        (f"{FOLDER}2/a", True, False),
        ("../shop/a", False, False),
        ("../other", True, True),
        ("src/../../x", True, True),
        ("/opt/x", True, False),
        (f"{FOLDER}/../x", True, True),
        ("~/x", True, False),
        ("$HOME/shop/x", False, False),
        ("..\\x", True, True),
        ("/dev/null", False, False),
    ],
)
def test_leaving_the_project(path: str, outside: bool, traversal: bool) -> None:
    found = place(path, FOLDER, HOME)
    assert (found.outside, found.traversal) == (outside, traversal)


def test_a_home_that_is_a_system_folder() -> None:
    assert place("/var/lib/dev/notes.txt", "/var/lib/dev/shop", "/var/lib/dev").sensitive is None
    assert place("/var/lib/dev/notes.txt", FOLDER, HOME).sensitive == "system"
    assert place("/srv/x", "/srv", HOME).outside is False
    assert place("/anything", "/", HOME).outside is False


@given(st.lists(st.sampled_from(["..", ".", "a", "b", ""]), max_size=20).map("/".join))
def test_what_is_resolved_stays_resolved(path: str) -> None:
    whole = resolved(f"/{path}")
    assert ".." not in whole.split("/")
    assert resolved(whole) == whole


@given(st.text(max_size=80), st.text(max_size=30))
def test_any_text(path: str, folder: str) -> None:
    place(path, folder, HOME)
