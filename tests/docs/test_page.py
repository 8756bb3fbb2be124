"""The pages' own rules: what is shown and not printed fails, and so does what is printed and not shown."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.docs.page import WrongPage, blocks, follow, matches
from tests.live import ROOT

SIMULATED = "the first tutorial starts it; the tests have such a folder ready"
NOT_RUN = {
    ("keep-the-log-in-postgresql", "it needs a database; tests/engine runs the commands"),
    (
        "keep-the-log-in-postgresql",
        "it needs a database; tests/engine takes a backup, restores it to a point and serves from it",
    ),
    ("keep-the-log-in-postgresql", "it needs a restored database; tests/engine runs it"),
    ("a-day-as-an-operator", SIMULATED),
    ("find-out-what-flow-policies-would-stop", "it asks a service about its history"),
    ("first-weeks-analysis", SIMULATED),
    ("tuning-a-risk-template", SIMULATED),
    ("keep-a-dashclaw-client", "the published clients run in tests/stories/published, three versions of them"),
    ("verify-a-proof", "the tests run what is installed"),
    ("watch-the-service", "a file of Prometheus"),
    ("watch-the-service", "it needs a collector"),
    ("govern-a-frameworks-tools", "its framework is not installed here; tests/sdk/adapters runs it"),
    ("use-it-from-node", "it builds and installs; tests/sdk/typescript does"),
    ("install", "it installs into this folder"),
    ("install", "the tests have them already"),
    ("install", "it installs"),
    ("install", "it downloads and installs"),
    ("install", "it changes the machine"),
    ("run-in-a-container", "it needs an engine"),
    ("run-in-a-container", "it builds the image"),
    ("put-a-gateway-before-an-mcp-server", "the address is made up"),
    ("put-envoy-before-a-service", "Envoy is not part of what the tests install"),
    ("put-nginx-before-it", "nginx is not part of what the tests install"),
    ("put-nginx-before-it", "Caddy is not part of what the tests install"),
}
EMPTY = "<!-- service: none -->\n"


def followed(text: str, folder: Path) -> int:
    page = folder / "page.md"
    page.write_text(EMPTY + text, encoding="utf-8")
    return follow(page, folder / "reader")


@pytest.mark.parametrize(
    ("shown", "printed"),
    [
        ("a b", "a   b  \n"),
        ("key_...  agent", "key_01a208d8351172e5  agent\n"),
        ("first\n...\nlast", "first\n2\n3\nlast\n"),
        ("first\n...\nlast", "first\nlast\n"),
        ("", ""),
    ],
)
def test_what_is_shown_is_what_is_printed(shown: str, printed: str) -> None:
    assert matches(shown, printed)


@pytest.mark.parametrize(
    ("shown", "printed"),
    [
        ("allow", "allowed\n"),
        ("allow ...", "block\n"),
        ("a...b", "a\nb\n"),
        ("allow", "allow\nand more\n"),
        ("allow\nand more", "allow\n"),
        ("", "something\n"),
        ("a.c", "abc\n"),
    ],
)
def test_anything_else_is_wrong(shown: str, printed: str) -> None:
    assert not matches(shown, printed)


@pytest.mark.parametrize(
    "text",
    [
        "```console\n$ echo one\ntwo\n```\n",
        "```console\n$ false\n```\n",
        "```console\n$ true  # exit code 3\n```\n",
        "```sh\ntrue\nfalse\n```\n",
        "```python\nprint(1)\n```\n",
        "```python\nprint(1)\n```\n\n```text\n2\n```\n",
        "```python\n1 / 0\n```\n",
        "```python\npass\n```\n\n```text\nZeroDivisionError: division by zero\n```\n",
        '```toml title="unused.toml"\nport = 1\n```\n',
        "```yaml\nversion: 1\n```\n",
        "```text\nafter nothing\n```\n",
        "```ruby\nputs 1\n```\n",
        "```console\n$ cat act_...\n```\n",
    ],
)
def test_a_wrong_page_fails(text: str, tmp_path: Path) -> None:
    with pytest.raises(WrongPage, match=r"page\.md:\d+: "):
        followed(text, tmp_path)


def test_a_right_page_is_followed_to_its_end(tmp_path: Path) -> None:
    text = (
        "```console\n$ A=1\n$ mkdir inner && cd inner\n$ sh -c 'echo $A; exit 3'  # exit code 3\n1\n```\n"
        '```json title="a.json"\n{"a": 5}\n```\n'
        '```python\nimport json, os\nfrom pathlib import Path\n\nb = json.loads(Path("a.json").read_text())\n```\n'
        '```python\nprint(b["a"], os.environ["A"], 1 // 0)\n```\n'
        "```text\nZeroDivisionError: ...\n```\n"
        '```console title="Second terminal"\n$ sleep 60\n```\n'
        "<!-- not run: it would end everything -->\n```sh\nexit 1\n```\n"
        "```sh\necho key_01a208d8351172e5ae03e50395b244e0\ntest key_... = key_01a208d8351172e5ae03e50395b244e0\n```\n"
    )
    assert followed(text, tmp_path) == 7


def test_what_goes_on_in_another_terminal_is_compared(tmp_path: Path) -> None:
    (tmp_path / "go.sh").write_text(
        "until [ -e one ]; do sleep 0.1; done; echo started; until [ -e two ]; do sleep 0.1; done; echo more; sleep 9\n"
    )
    text = (
        f'```console title="Other terminal"\n$ bash {tmp_path}/go.sh\n```\n'
        "```sh\ntouch one\n```\n"
        '```text title="Other terminal"\nstarted\n```\n'
        "```sh\ntouch two\n```\n"
        '```text title="Other terminal"\nmore\n```\n'
    )
    assert followed(text, tmp_path) == 5


def test_how_many_blocks_are_not_run() -> None:
    """A block that newly cannot run is a deliberate change: it is counted here."""
    pages = [page for folder in ("how-to", "tutorials") for page in sorted((ROOT / "docs" / folder).glob("*.md"))]
    left_out = {(page.stem, block.not_run) for page in pages for block in blocks(page) if block.not_run}
    assert left_out == NOT_RUN
