"""Our hooks in a settings document, and everybody else's, which stay as they are."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assent.cli.hooks.document import POST, PRE, NotSettings, is_ours, ours, with_hooks, without_hooks

SETTINGS: dict[str, Any] = json.loads(Path(__file__).with_name("claude_settings.json").read_text(encoding="utf-8"))
COMMANDS = {PRE: "/bin/assent-hook pre-tool --config /c || exit 2", POST: "/bin/assent-hook post-tool --config /c"}
OTHER = st.sampled_from(
    [
        {"matcher": "Bash", "hooks": [{"type": "command", "command": "echo assent-hook"}]},
        {"matcher": "*", "hooks": []},
        {"hooks": [{"type": "command", "command": "x"}, {"type": "prompt", "prompt": "y"}]},
        {"matcher": "Odd"},
        {"matcher": "Odd", "hooks": "not a list"},
    ]
)
DOCUMENTS = st.fixed_dictionaries(
    {},
    optional={
        "model": st.just("x"),
        "hooks": st.dictionaries(st.sampled_from([PRE, POST, "Stop"]), st.lists(OTHER, min_size=1, max_size=3)),
    },
)


@given(DOCUMENTS)
def test_in_and_out_again(document: dict[str, Any]) -> None:
    before = copy.deepcopy(document)
    installed = with_hooks(document, COMMANDS, 600)
    assert document == before
    assert ours(installed) == COMMANDS
    assert with_hooks(installed, COMMANDS, 600) == installed
    out = without_hooks(installed)
    assert without_hooks(out) == out
    assert {**out, "hooks": out.get("hooks", {})} == {**document, "hooks": document.get("hooks", {})}


def test_a_real_document_keeps_everything_that_is_not_ours() -> None:
    installed = with_hooks(SETTINGS, COMMANDS, 600)
    added = installed["hooks"][PRE].pop()
    assert added == {"matcher": "*", "hooks": [{"type": "command", "command": COMMANDS[PRE], "timeout": 600}]}
    assert installed["hooks"].pop(POST) == [
        {"matcher": "*", "hooks": [{"type": "command", "command": COMMANDS[POST], "timeout": 600}]}
    ]
    assert json.dumps(installed) == json.dumps(SETTINGS), "values and their order"


def test_ours_beside_anothers_in_one_group() -> None:
    theirs = {"type": "command", "command": "x"}
    mine = {"type": "command", "command": COMMANDS[PRE]}
    document = {"hooks": {PRE: [{"matcher": "Bash", "hooks": [mine, theirs]}]}}
    assert without_hooks(document) == {"hooks": {PRE: [{"matcher": "Bash", "hooks": [theirs]}]}}


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("assent-hook pre-tool", True),
        ("/usr/bin/assent-hook post-tool --config x", True),
        ("'/a b c/d e/assent-hook' pre-tool || exit 2", True),
        ('"/a b/assent-hook" pre-tool', True),
        ('"C:\\\\x y\\\\assent-hook.exe" pre-tool', True),
        ("echo assent-hook pre-tool", False),
        ("my-assent-hook pre-tool", False),
        ("assent-hook", False),
        ("assent-hook 'open", False),
        ("", False),
        (None, False),
        (5, False),
    ],
)
def test_whose_a_command_is(command: Any, expected: bool) -> None:
    assert is_ours({"command": command}) is expected


@pytest.mark.parametrize("hooks", [[], "x", 5, True, {PRE: {}}, {PRE: "x"}, {PRE: ["x"]}, {POST: None}])
def test_wrong_shapes_are_named(hooks: Any) -> None:
    for change in (without_hooks, ours, lambda document: with_hooks(document, COMMANDS, 600)):
        with pytest.raises(NotSettings, match="`hooks"):
            change({"hooks": hooks})


def test_no_hooks_at_all() -> None:
    assert ours({"hooks": None}) == {}
    assert ours(with_hooks({"hooks": None}, COMMANDS, 600)) == COMMANDS
