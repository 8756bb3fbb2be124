"""The hooks in a settings document, added and taken out. Nothing else in the document is touched, whoever wrote it.

Claude Code keeps hooks in `settings.json` under `hooks`; Codex in `hooks.json`, in the same shape: each event has a
list of groups, each group an optional matcher and a list of hooks. Ours is a group of its own for each event, known by
the name of its program.
"""

from __future__ import annotations

import copy
import shlex
from collections.abc import Mapping
from typing import Any

PROGRAM = "assent-hook"
PRE, POST = "PreToolUse", "PostToolUse"
EVENTS = {PRE: "pre-tool", POST: "post-tool"}


class NotSettings(ValueError):
    """The document does not have the shape of settings; the message says where."""


def with_hooks(document: Mapping[str, Any], commands: Mapping[str, str], timeout: int) -> dict[str, Any]:
    """The document with our hooks, `commands` by event, `timeout` in seconds. What was ours before is replaced.

    Raises NotSettings.
    """
    changed = without_hooks(document)
    if changed.get("hooks") is None:
        changed["hooks"] = {}
    hooks = changed["hooks"]
    for event, command in commands.items():
        group = {"matcher": "*", "hooks": [{"type": "command", "command": command, "timeout": timeout}]}
        hooks.setdefault(event, []).append(group)
    return changed


def without_hooks(document: Mapping[str, Any]) -> dict[str, Any]:
    """The document without our hooks, and without what only they had made necessary. Raises NotSettings."""
    changed: dict[str, Any] = copy.deepcopy(dict(document))
    hooks = changed.get("hooks")
    if hooks is None:
        return changed
    if not isinstance(hooks, dict):
        raise NotSettings(f"`hooks` is {_kind(hooks)}, and should be an object of events")
    for event in EVENTS:
        if event not in hooks:
            continue
        groups = _groups(event, hooks[event])
        kept = [group for group in map(_without_ours, groups) if group is not None]
        if len(kept) != len(groups) or kept != groups:
            hooks[event] = kept
            if not kept:
                del hooks[event]
                if not hooks:
                    del changed["hooks"]
    return changed


def ours(document: Mapping[str, Any]) -> dict[str, str]:
    """Our commands by event, as the document has them. Raises NotSettings."""
    found: dict[str, str] = {}
    hooks = document.get("hooks")
    if hooks is not None and not isinstance(hooks, dict):
        raise NotSettings(f"`hooks` is {_kind(hooks)}, and should be an object of events")
    for event in EVENTS:
        for group in _groups(event, hooks.get(event, [])) if isinstance(hooks, dict) else []:
            entries = group.get("hooks")
            for hook in entries if isinstance(entries, list) else []:
                if is_ours(hook):
                    found[event] = hook["command"]
    return found


def is_ours(hook: object) -> bool:
    """Whether one entry runs our program; the word alone, since other people's commands may contain it."""
    if not isinstance(hook, dict) or not isinstance(hook.get("command"), str):
        return False
    try:
        words = shlex.split(hook["command"].replace("\\", "/"))
    except ValueError:
        return False
    program = words[0].rsplit("/", 1)[-1].removesuffix(".exe") if words else ""
    return program == PROGRAM and any(event in words[1:2] for event in EVENTS.values())


def _without_ours(group: dict[str, Any]) -> dict[str, Any] | None:
    """The group without our hooks; None when nothing of it is left that somebody else wrote."""
    entries = group.get("hooks")
    if not isinstance(entries, list) or not any(is_ours(each) for each in entries):
        return group
    kept = [each for each in entries if not is_ours(each)]
    return group | {"hooks": kept} if kept else None


def _groups(event: str, groups: object) -> list[dict[str, Any]]:
    if not isinstance(groups, list) or not all(isinstance(group, dict) for group in groups):
        raise NotSettings(f"`hooks.{event}` is {_kind(groups)}, and should be a list of objects")
    return groups


def _kind(value: object) -> str:
    kinds: dict[type, str] = {dict: "an object", list: "a list", str: "a text", bool: "a truth value"}
    return "null" if value is None else kinds.get(type(value), "a number")
