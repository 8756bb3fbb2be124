"""Every block of code in the documentation says its language and can be read in it. That blocks do what their page says
is tested where they are run: tests/stories. Pure, but for a shell that only reads."""

from __future__ import annotations

import ast
import json
import subprocess
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from tests.docs.blocks import Block, blocks
from tests.docs.test_links import pages, place
from tests.every import every


def shell(code: str) -> None:
    done = subprocess.run(["bash", "-n"], input=code, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise ValueError(done.stderr)


READERS: dict[str, Callable[[str], object]] = {
    "python": ast.parse,
    "json": json.loads,
    "jsonl": lambda code: [json.loads(line) for line in code.splitlines()],
    "toml": tomllib.loads,
    "yaml": yaml.safe_load,
    "yml": yaml.safe_load,
    "sh": shell,
}
NOT_READ = {"text", "nginx", "caddy", "sql", "ini", "dockerfile", "console", "http", "html", "diff", "js"}
"""What nothing here reads: what a program prints, and the languages of other programs."""


def wrong(block: Block) -> str | None:
    """Why a block cannot be read; None for one that can."""
    if block.language not in READERS:
        return (
            None
            if block.language in NOT_READ
            else f"its language is {block.language!r}; name one, and `text` for what a program prints"
        )
    try:
        READERS[block.language](block.code)
    except (ValueError, SyntaxError, yaml.YAMLError) as error:
        return f"{type(error).__name__}: {error}"
    return None


@every("file", pages, ids=place)
def test_every_block_can_be_read(file: Path) -> None:
    found = [(block.line, wrong(block)) for block in blocks(file.read_text(encoding="utf-8"))]
    assert [f"line {line}: {why}" for line, why in found if why] == []


@pytest.mark.parametrize(
    ("text", "is_wrong"),
    [
        ("```python\nclient = Client()\n```\n", False),
        ("```python\nclient = Client(\n```\n", True),
        ("```json\n{'a': 1}\n```\n", True),
        ('```json title="a.jsonl"\n{}\n{}\n```\n', False),
        ('```json title="a.jsonl"\n{}\n{\n```\n', True),
        ("```json\n{}\n{}\n```\n", True),
        ("```yaml\na: [1\n```\n", True),
        ("```toml\na = \n```\n", True),
        ("```sh\nassent verify a.json --key jwks.json  # checks it\n```\n", False),
        ("```sh\nfor x in; do\n```\n", True),
        ("```text\nwhatever (\n```\n", False),
        ("```\nno language\n```\n", True),
        ("- a list\n\n  ```json\n  {}\n  ```\n", False),
    ],
)
def test_a_block_that_cannot_be_read_is_told(text: str, is_wrong: bool) -> None:
    (block,) = blocks(text)
    assert (wrong(block) is not None) is is_wrong
