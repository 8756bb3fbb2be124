"""What is drafted of a house's own tools from the calls that were seen, and that the draft can be read back."""

from __future__ import annotations

from random import Random
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assent.contract.control.policies import Mode
from assent.flows import read_pack
from assent.flows.pack import pattern_of
from assent.flows.suggest import DRAFTED, CallSample, Draft, suggest
from assent.packs import parse_pack

IBAN = "DE89370400440532013000"
PROSE = "Dear all, the report of this week is done, and here is what it says of it."


def settled(n: int = 8) -> list[CallSample]:
    """Calls of a tool without a verb."""
    return [
        CallSample("ledger.settlement", {"taker": IBAN, "wording": PROSE, "ticket": f"T-{at}", "urgent": True})
        for at in range(n)
    ]


def said(draft: Draft) -> dict[str, Any]:
    """The pack of the draft's text, as an import reads it."""
    (policy,) = parse_pack(draft.text("the last 30d"))
    assert (policy.policy_type, policy.mode, policy.active) == ("flow", Mode.OBSERVE, True)
    pack: dict[str, Any] = msgspec.to_builtins(policy.rules).get("pack", {})
    return pack


def test_a_tool_of_the_house_is_drafted_with_what_it_rests_on() -> None:
    draft = suggest([*settled(), *[CallSample("read_file", {"path": "a.txt"})] * 20, CallSample("get_time", None)])
    assert said(draft) == {
        "tools": {
            "ledger.settlement": {"effect": "send", "arguments": {"taker": "destination", "wording": "payload"}},
        }
    }
    text = draft.text("the last 30d")
    assert "# Drafted from 29 calls of the last 30d. It observes" in text
    assert '# "ledger.settlement": 8 calls.' in text
    assert "# Unsure: its name has no verb; an argument says where something goes, so it may send." in text
    assert '# "taker": 8 of 8 values look like an address or account (account number).' in text
    assert '# "wording": 8 of 8 values are long texts, of which addresses alone ask; a short one in it' in text
    assert '#   "read_file": read (20 calls)' in text
    assert "# 1 of the calls kept their parameters to themselves, or have none." in text
    assert IBAN not in text
    assert PROSE not in text


def test_what_is_drafted_decides_and_nothing_is_drafted_of_it_again() -> None:
    draft = suggest(settled())
    pack = read_pack(said(draft))
    tool = pack.tool("ledger.settlement", ["taker", "wording"])
    assert (tool.effect, tool.sure) == ("send", True)
    assert pack.role(("taker",), IBAN, tool) == "destination"
    assert suggest(settled(), pack=pack).tools == ()
    assert "rules: {}" in suggest(settled(), pack=pack).text()


def test_what_is_drafted_replaces_no_policy_that_is_there() -> None:
    draft = suggest(settled())
    first = parse_pack(draft.text())[0].name
    second = parse_pack(draft.text(taken=["Where values come from", first]))[0].name
    assert first != second
    assert parse_pack(draft.text(taken=[first, second]))[0].name not in (first, second)


def test_few_values_and_such_that_differ_are_unsure() -> None:
    (few,) = suggest(settled(2)).tools
    assert few.remarks[0].endswith("2 calls, which are few: look at them yourself.")
    assert any("Unsure: only 2 values." in each for each in few.remarks)
    assert dict(few.arguments) == {"taker": "destination"}
    assert '"wording": Unsure: 2 of 2 values are long texts, so it may be a payload.' in few.remarks
    mixed = [CallSample("zing", {"taker": IBAN if at % 2 else "Dora"}) for at in range(10)]
    (tool,) = suggest(mixed).tools
    assert (tool.effect, tool.arguments) == ("write", ())
    assert "5 of 10 values look like an address or account, so it may be a destination" in " ".join(tool.remarks)


def test_a_shell_is_left_out_of_a_draft_so_that_its_lines_that_read_stay_reads() -> None:
    calls = [CallSample(name, {"command": "ls -la src"}) for name in ("sh", "mcp__local__terminal", "Bash")] * 6
    draft = suggest([*calls, CallSample("sh", None)])
    assert said(draft) == {}
    text = draft.text()
    for name in ("sh", "mcp__local__terminal", "Bash"):
        assert f'# "{name}": ' in text
    assert "# A shell, by its name: nothing is said of what it does" in text
    pack = read_pack(said(draft))
    assert pack.tool("sh", ["command"]).line == "command"


def test_tools_that_act_by_their_names_are_remarked_where_a_policy_says_that_they_read() -> None:
    pack = read_pack({"tools": {"wipe_log": {"effect": "read"}, "ledger_*": {"effect": "read"}}})
    names = ("ledger_delete", "ledger_dump", "wipe_log", "ledger_send", "delete_file")
    calls = [CallSample(name, {"x": 1, "taker": IBAN} if name == "ledger_send" else {"x": 1}) for name in names] * 5
    text = suggest(calls, pack=pack, policies={"ledger_*": "Our: tools", "wipe_log": 'The "log"'}).text()
    assert (
        '#   "ledger_delete": destroy (5 calls). "ledger_*" of policy "Our: tools" says that it reads, and its name '
        "says that it destroys something, which counts; say its full name if it reads.\n"
    ) in text
    assert (
        '#   "wipe_log": read (5 calls). Known by policy "The \\"log\\"" as one that reads, and its name says that it '
        "destroys something: look whether that is right.\n"
    ) in text
    assert '          # "ledger_*" of policy "Our: tools" says that it reads, and its name says that it sends' in text
    assert '#   "ledger_dump": read (5 calls)\n' in text
    assert '#   "delete_file": destroy (5 calls)\n' in text
    assert "Known by flow policies as one that reads" in suggest(calls, pack=pack).text()


def test_nothing_that_is_looked_at_is_taken_out_of_sight() -> None:
    """A name that says where something goes stays so, whatever its values are."""
    draft = suggest([CallSample("send_note", {"to": PROSE})] * 9)
    assert said(draft) == {}
    assert '# "to": Unsure: taken for a destination by its name, and 9 of 9 values are long texts.' in draft.text()


@pytest.mark.parametrize(
    ("hints", "effect"),
    [({"readOnlyHint": True}, "read"), ({"destructiveHint": True}, "destroy"), ({"readOnlyHint": "yes"}, "write")],
)
def test_what_a_server_says_of_its_tool_is_taken_and_named_as_its_word(hints: dict[str, Any], effect: str) -> None:
    (tool,) = suggest([CallSample("mcp__crm__zing", {"x": 1})], {"zing": {"annotations": hints}}).tools
    assert tool.effect == effect
    assert ("Its server says" in " ".join(tool.remarks)) is (effect != "write")


def test_a_choice_of_the_schema_is_no_destination() -> None:
    schema = {"inputSchema": {"properties": {"taker": {"enum": [IBAN, "x"]}}}}
    (tool,) = suggest([CallSample("zing", {"taker": IBAN})] * 9, {"zing": schema}).tools
    assert tool.arguments == ()


def test_nested_arguments_are_named_by_their_paths_and_lists_have_none() -> None:
    calls = [CallSample("zing", {"order": {"takers": [{"whom": "a@b.example"}, {"whom": "c@d.example"}]}})] * 5
    (tool,) = suggest(calls).tools
    assert tool.arguments == (("order.takers.whom", "destination"),)
    pack = read_pack(said(suggest(calls)))
    assert pack.role(("order", "takers", "whom"), "x", pack.tool("zing")) == "destination"


def test_the_tools_called_most_are_drafted_and_the_others_counted() -> None:
    calls = [CallSample(f"zing{at:03}", {}) for at in range(DRAFTED + 12) for _ in range(at % 3 + 1)]
    draft = suggest(calls)
    assert (len(draft.tools), draft.left_out) == (DRAFTED, 12)
    assert "# 12 more tools, called less often, are not in it." in draft.text()
    assert draft.tools[0].calls == 3


def test_nothing_seen_is_an_empty_draft() -> None:
    draft = suggest([])
    assert (draft.calls, draft.tools, draft.known) == (0, (), ())
    assert said(draft) == {}


NAMES = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=30) | st.sampled_from(
    [
        "a: b",
        "# x",
        "*",
        "a[b]",
        "x\n  - name: evil",
        'q"',
        "\\",
        "\x85y",
        "\u2028z",
        "😀",
        "null",
        "yes",
        "1",
        "{}",
        "?x",
    ]
)


@given(
    st.dictionaries(
        NAMES,
        st.dictionaries(NAMES, st.sampled_from([IBAN, PROSE, "x@y.example", "z", 7, None]), max_size=4),
        max_size=4,
    )
)
def test_whatever_agents_call_their_tools_is_read_back_as_it_is_called(tools: dict[str, dict[str, Any]]) -> None:
    draft = suggest([CallSample(name, given) for name, given in tools.items() for _ in range(5)])
    pack = said(draft)
    entries = {each.pattern: each for each in read_pack(pack).entries}
    drafted = [each for each in draft.tools if each.effect or each.arguments]
    assert entries == {pattern_of(each.name): each.entry for each in drafted}
    for each in drafted:
        for other in tools:
            assert (read_pack(pack).tool(other).effect == each.effect) or other != each.name or each.effect is None


def test_a_pattern_fits_its_own_name_alone() -> None:
    random = Random(3)
    names = ["".join(random.choices("ab*?[]!", k=4)) for _ in range(300)]
    for name in names:
        pack = read_pack({"tools": {pattern_of(name): {"effect": "none"}}})
        assert {each for each in names if pack.tool(each).effect == "none" and pack.tool(each).sure} >= {name}
        assert all(each == name for each in names if pack.tool(each).effect == "none")
