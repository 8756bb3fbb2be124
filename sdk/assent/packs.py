"""Policy packs: several policies in one YAML (or JSON) text.

    version: 1
    policies:
      - name: Ask before refunds          # 1 to 256 characters
        policy_type: require_approval
        rules: {action_types: [refund]}
        agent_ids: [support-1]            # optional; none means every agent
        mode: observe                     # optional; enforce
        active: true                      # optional
        explore: 0.02                     # optional; for which share of hours it does the other thing
        always_ask: destructive           # optional; asks although a grant covers it: never, destructive, always

A pack comes from outside, so it is read with suspicion: plain data only, at most 256 KB, no aliases (a few lines of
them unfold to gigabytes), no key given twice (the readers of YAML and JSON would quietly keep the last), nesting
and members limited. Unknown members are refused: a misspelt one would quietly mean its default.
An error names the place, `policies[3].rules.when.all[0].op`, and the line of the text where it is known.

`write_pack` gives the text of policies, which `parse_pack` reads back to the same.
"""

import json
import re
from collections.abc import Callable, Hashable, Iterable, Mapping
from typing import Any, Protocol

import yaml
from msgspec import ValidationError, convert, structs

from assent.contract.conditions import ConditionError, abbreviated
from assent.contract.control.exploration import check_explore
from assent.contract.control.policies import Mode, Policy, PolicyDraft
from assent.contract.control.rules import (
    AlwaysAsk,
    PolicyError,
    Rules,
    check_always_ask,
    parse_rules,
    rules_to_data,
)

MAX_BYTES = 256 * 1024
MAX_NESTING = 64
MAX_POLICIES = 1000
VERSION = 1


class _Mark(Protocol):
    """A position in the text, counted from 0; libyaml's and the Python parser's classes differ."""

    @property
    def line(self) -> int: ...


class PackError(ValueError):
    """A pack that cannot be read. `place` is a path in it, or `line N`. `others` say what is wrong with further
    policies of it."""

    def __init__(self, place: str, message: str, others: tuple["PackError", ...] = ()) -> None:
        super().__init__(f"{place}: {message}")
        self.place = place
        self.message = message
        self.others = others


def parse_pack(text: str, check: Callable[[Rules], None] | None = None) -> list[PolicyDraft]:
    """The policies of a pack, in its order, with normalised rules. Raises PackError, which says of each policy what is
    wrong with it first; it is all or nothing.

    `check` may refuse rules further with a ConditionError or PolicyError, as guard does for patterns.
    """
    if len(text.encode("utf-8", "replace")) > MAX_BYTES:
        raise PackError("pack", f"is larger than {MAX_BYTES // 1024} KB; split it into several packs")
    data = _read(text)
    if not isinstance(data, dict):
        raise PackError("pack", f"is {abbreviated(data)}, expected a mapping with version and policies")
    _refuse_unknown(data, ("version", "policies"), "pack")
    version = data.get("version")
    if isinstance(version, bool) or version != VERSION:
        raise PackError("version", f"is {abbreviated(version)}, this service reads version {VERSION}")
    policies = data.get("policies")
    if not isinstance(policies, list):
        raise PackError("policies", f"is {abbreviated(policies)}, expected a list of policies")
    if len(policies) > MAX_POLICIES:
        raise PackError("policies", f"has {len(policies)} entries, at most {MAX_POLICIES} are allowed")
    drafts, wrong = list[PolicyDraft](), list[PackError]()
    for at, item in enumerate(policies):
        try:
            drafts.append(_draft(item, f"policies[{at}]", check))
        except PackError as error:
            wrong.append(error)
    if wrong:
        raise PackError(wrong[0].place, wrong[0].message, tuple(wrong[1:]))
    return drafts


def read_draft(item: object, place: str = "policy", check: Callable[[Rules], None] | None = None) -> PolicyDraft:
    """One policy of a pack, as decoded data. Raises PackError."""
    return _draft(item, place, check)


def entry(policy: Policy | PolicyDraft) -> dict[str, object]:
    """A policy as the plain data that stands for it in a pack; members that are as they are without them are left
    out."""
    rules = policy.rules
    data: dict[str, object] = {"name": policy.name, "policy_type": policy.policy_type}
    if policy.agent_ids:
        data["agent_ids"] = list(policy.agent_ids)
    if policy.mode is not Mode.ENFORCE:
        data["mode"] = policy.mode.value
    if not policy.active:
        data["active"] = False
    if policy.explore:
        data["explore"] = policy.explore
    if policy.always_ask is not AlwaysAsk.NEVER:
        data["always_ask"] = policy.always_ask.value
    return {**data, "rules": rules}


def write_pack(policies: Iterable[Mapping[str, object]]) -> str:
    """The text of a pack of such entries, in their order. They need not be right."""
    pack = {"version": VERSION, "policies": [dict(each) for each in policies]}
    text: str = yaml.dump(pack, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=100)
    return text


def line_of(text: str, place: str) -> int | None:
    """The line, counted from 1, of a place such as `policies[0].rules.threshold`, or of what it is missing from; None
    where the text is no YAML."""
    try:
        _look_over(text)
        node: yaml.Node | None = yaml.compose(text, yaml.CSafeLoader)
    except (yaml.YAMLError, PackError, ValueError, RecursionError):
        return None
    if node is None:
        return None
    line = 1
    for key, index in _STEP.findall(place):
        found = _step(node, key, index)
        if found is None:
            break
        node, line = found
    return line


_STEP = re.compile(r"([^.\[\]]+)|\[(\d+)\]")


def _step(node: yaml.Node, key: str, index: str) -> tuple[yaml.Node, int] | None:
    """What stands at a key or an index, and the line where it begins."""
    if isinstance(node, yaml.MappingNode) and key:
        for name, value in node.value:
            if isinstance(name, yaml.ScalarNode) and name.value == key:
                return value, name.start_mark.line + 1
    if isinstance(node, yaml.SequenceNode) and index and int(index) < len(node.value):
        item = node.value[int(index)]
        return item, item.start_mark.line + 1
    return None


def _draft(item: object, place: str, check: Callable[[Rules], None] | None) -> PolicyDraft:
    if not isinstance(item, dict):
        raise PackError(place, f"is {abbreviated(item)}, expected a mapping with name, policy_type and rules")
    _refuse_unknown(item, PolicyDraft.__struct_fields__, place)
    try:
        draft = convert(item, PolicyDraft)
    except ValidationError as error:
        message, _, path = str(error).partition(" - at `$")
        raise PackError(place + path.rstrip("`"), message) from None
    try:
        rules = parse_rules(draft.policy_type, draft.rules, strict=True)
        if check is not None:
            check(rules)
        check_explore(rules, draft.explore)
        check_always_ask(rules, draft.always_ask)
    except (PolicyError, ConditionError) as error:
        raise PackError(f"{place}.{error.place}", error.message) from None
    return structs.replace(draft, rules=rules_to_data(rules))


def _refuse_unknown(data: dict[object, object], known: tuple[str, ...], place: str) -> None:
    for key in data:
        if key not in known:
            raise PackError(place, f"has the unknown member {abbreviated(key)}, it may have {', '.join(known)}")


def _read(text: str) -> object:
    if text.lstrip("\ufeff \t\r\n").startswith("{"):
        try:
            return json.loads(text, object_pairs_hook=_pairs, parse_constant=_no_constant)
        except (json.JSONDecodeError, RecursionError):
            pass  # perhaps YAML in its flow style; if not, YAML's message has the line as well
    try:
        _look_over(text)
        return yaml.load(text, _Loader)  # noqa: S506 - a safe loader, stricter than the library's
    except yaml.MarkedYAMLError as error:
        raise _marked(error) from None
    except yaml.YAMLError as error:
        raise PackError("pack", f"is not valid YAML ({error})") from None
    except (ValueError, OverflowError, RecursionError) as error:
        if isinstance(error, PackError):
            raise
        raise PackError("pack", f"holds a value that cannot be read ({error})") from None


def _pairs(pairs: list[tuple[str, object]]) -> dict[str, object]:
    data: dict[str, object] = {}
    for key, value in pairs:
        if key in data:
            raise PackError("pack", f"gives the key {abbreviated(key)} twice in one object")
        data[key] = value
    return data


def _no_constant(name: str) -> object:
    raise PackError("pack", f"holds {name}, which is no JSON; use a finite number")


def _look_over(text: str) -> None:
    """Refuse, from the parser's events and before anything is built, what could grow when it is."""
    depth = 0
    for event in yaml.parse(text, yaml.CSafeLoader):
        if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None):
            raise PackError(
                _line(event.start_mark), "uses an anchor or alias, which packs may not; write the value out"
            )
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
            if depth > MAX_NESTING:
                raise PackError(_line(event.start_mark), f"is nested deeper than {MAX_NESTING} levels")
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1


def _marked(error: yaml.MarkedYAMLError) -> PackError:
    said = [text for text in (error.context, error.problem) if text]
    return PackError(_line(error.problem_mark), ", ".join(said) or "is not valid YAML")


def _line(mark: _Mark | None) -> str:
    return f"line {mark.line + 1}" if mark else "pack"


class _Loader(yaml.CSafeLoader):
    """Plain data only, each key once."""

    def construct_mapping(self, node: yaml.Node, deep: bool = False) -> dict[Hashable, Any]:
        assert isinstance(node, yaml.MappingNode)
        seen: set[object] = set()
        for key_node, _ in node.value:
            key = self.construct_object(key_node, deep=True)
            if not isinstance(key, str):
                raise yaml.constructor.ConstructorError(
                    None, None, f"has the key {abbreviated(key)}, keys are strings; quote it", key_node.start_mark
                )
            if key in seen:
                raise yaml.constructor.ConstructorError(
                    None, None, f"gives the key {abbreviated(key)} twice in one mapping", key_node.start_mark
                )
            seen.add(key)
        return super().construct_mapping(node, deep)


class _Dumper(yaml.SafeDumper):
    """No anchors, which packs may not have: what occurs twice is written twice."""

    def ignore_aliases(self, data: object) -> bool:
        return True
