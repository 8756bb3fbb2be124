"""`assent mcp` that cannot start: one line on standard error, a code, and nothing on standard output."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from assent.cli.app import app
from assent.cli.failures import Exit
from tests.tiers import deep

MAIN = "import sys; {before}; from assent.cli import main; sys.argv = ['assent', 'mcp', *sys.argv[1:]]; main()"


def run(*arguments: str, before: str = "pass", **env: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", MAIN.format(before=before), *arguments]
    return subprocess.run(command, env=env, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)


def start(*arguments: str, **env: str | None) -> Any:
    """The command in this process; it does not come as far as serving."""
    nothing = dict.fromkeys(("ASSENT_API_KEY", "ASSENT_BASE_URL", "ASSENT_AGENT_ID"))
    return CliRunner().invoke(app, ["mcp", *arguments], env=nothing | env)


@pytest.mark.parametrize("key", [None, "", " "])
def test_without_a_key_it_says_how_to_make_one_and_leaves_the_admins_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, key: str | None
) -> None:
    (tmp_path / ".assent").mkdir()
    (tmp_path / ".assent" / "admin.key").write_text("assent_the_admin_key")
    monkeypatch.chdir(tmp_path)
    done = start(ASSENT_API_KEY=key)
    assert (done.exit_code, done.stdout) == (Exit.UNAUTHORIZED, "")
    assert "assent keys create" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "env", "words"),
    [
        ([], {"ASSENT_BASE_URL": "ftp://here"}, "ftp://here"),
        (["--base-url", "nowhere"], {}, "nowhere"),
        (["--api-key", "two words"], {}, "api_key holds a space"),
        (["--timeout", "0"], {}, "--timeout"),
        (["--wait", "3601"], {}, "--wait"),
    ],
)
def test_what_cannot_be_is_named(arguments: list[str], env: dict[str, str], words: str) -> None:
    done = start(*arguments, **{"ASSENT_API_KEY": "assent_some_key"} | env)
    assert (done.exit_code, done.stdout) == (Exit.USAGE, "")
    assert words in done.stderr
    assert "two words" not in done.stderr


def test_its_help_holds_what_a_host_needs() -> None:
    shown = start("--help").stdout
    assert all(words in shown for words in ("mcpServers", "ASSENT_API_KEY", "--wait", "130"))


def test_without_the_extra_it_names_the_extra() -> None:
    done = run(before="sys.modules['mcp'] = None", ASSENT_API_KEY="assent_some_key")
    assert (done.returncode, done.stdout) == (Exit.USAGE, "")
    assert "pip install 'assent[mcp]'" in done.stderr


@deep("a process for each")
@pytest.mark.parametrize("closed", ["<&-", ">&-"])
def test_without_input_or_output_it_does_not_start(closed: str) -> None:
    program = f"{sys.executable} -c 'from assent.cli import main; main()' mcp {closed}"
    done = subprocess.run(
        ["/bin/sh", "-c", program],
        env={"ASSENT_API_KEY": "assent_some_key"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (done.returncode, done.stdout) == (Exit.USAGE, "")
    assert "is closed" in done.stderr


@deep("a process for each")
def test_a_client_that_is_not_there_ends_it() -> None:
    done = run(ASSENT_API_KEY="assent_some_key")
    assert (done.returncode, done.stdout, done.stderr) == (Exit.OK, "", "")


def test_nothing_of_mcp_is_imported_for_other_commands() -> None:
    script = "import sys; import assent.cli.app; print([name for name in sys.modules if name.split('.')[0] == 'mcp'])"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout == "[]\n"
