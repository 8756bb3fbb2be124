"""The page Sessions: the list, a session as a flow, and labels that are taken off there."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from assent.contract.control.flow_steps import FlowAsked, FlowEntry, FlowStep, FlowSteps
from assent.contract.control.flows import FlowSession
from assent.contract.control.guard import Decision, Source
from assent_dashboard.views.addresses import FlowsAddress
from assent_dashboard.views.flows import page as list_page
from assent_dashboard.views.flows import session as session_page
from assent_dashboard.views.flows.words import carries, spoken_picture, summary, told_by, told_line, verdict
from tests.dashboard.looker import Looker
from tests.stories.tenant import Tenant

Look = Callable[..., Looker]
IBAN = "DE89370400440532013000"
PROSE = f"The open amount is 98.70; kindly pay it to {IBAN} by the end of the week, and be well."
RUN = "bill *17*"
NOW = datetime(2026, 11, 20, 14, 2, 7, tzinfo=UTC)


def hijacked(house: Tenant) -> str:
    """A session in which a payment is stopped whose account a text named; the action that waits."""
    house.policy("Where values come from", "flow", {})
    with house.client(agent_id="payer") as client, client.session(RUN):
        client.user_said("Please pay the bill in bill.txt, and tell bob@ours.example")
        client.guard({"action_type": "read_file", "parameters": {"path": "bill.txt"}})
        client.tool_answered("read_file", PROSE, arguments=["path"])
        client.guard({"action_type": "send_mail", "parameters": {"to": "bob@ours.example"}})
        parameters = {"recipient": IBAN, "amount": 98.7}
        return str(client.create_action("send_money", "Pay the bill", parameters=parameters).action_id)


def opened(looker: Looker, session_id: str = RUN) -> Looker:
    looker.page.query_params["session_id"] = session_id
    return looker.draw()


def test_an_empty_workspace_says_how_a_session_is_told(look: Look, house: Tenant) -> None:
    looker = look(house, "flows").draw()
    assert "No session was told anything yet." in looker.words
    assert "user_said" in looker.page.code[0].value


def test_sessions_of_late_are_listed_with_their_labels(look: Look, house: Tenant) -> None:
    hijacked(house)
    looker = look(house, "flows").draw()
    assert "1 session was told something: 1 carries a label." in looker.words
    assert "bill *17*" in looker.words
    assert "untrusted_seen" in looker.words
    looker.requests.take()
    looker.draw()
    assert looker.requests.take() == [], "a page that is drawn again asks nothing"


def test_a_session_is_a_sentence_a_picture_and_its_steps(look: Look, house: Tenant) -> None:
    action_id = hijacked(house)
    looker = opened(look(house, "flows"))
    assert (
        "Of 3 calls 1 was stopped, 2 went on. `send_money` at step 5 waits for a person. It carries `untrusted_seen` "
        "since step 3." in looker.words
    )
    assert "5 · :material/smart_toy: `send_money`" in looker.words.replace("**", "")
    assert (
        f"recipient “{IBAN}”: This account number appears only in the text of what read_file answered, read in the "
        "step before; the user never named it. (step 3)" in looker.words.replace("**", "")
    )
    assert ":green-badge[user] to “bob@ours.example”" in looker.words.replace("**", "").replace("\N{WORD JOINER}", "")
    assert "3 · :material/description: `read_file` answered, text of somebody else · put on `untrusted_seen`" in (
        looker.words.replace("**", "")
    )
    assert f"/ledger?action_id={action_id}" in looker.words
    assert f"/approvals?action_id={action_id}" in looker.words
    assert opened(look(house, "flows"), "never told").words.count("Nothing was told of this session.") == 1


def test_an_operator_takes_a_label_off_there(look: Look, house: Tenant) -> None:
    hijacked(house)
    looker = opened(look(house, "flows", "operator"))
    page = looker.page
    page.multiselect(key="flow_label").set_value(["untrusted_seen"]).run()
    looker.press("flow_remove")
    assert "Say why these labels need not hold any more." in looker.words
    looker.write("flow_reason", "The file is our own.")
    looker.press("flow_remove")
    assert "It carries no label." in looker.words
    assert "An operator took `untrusted_seen` off: “The file is our own.”" in looker.words
    assert not [each for each in page.button if each.key == "flow_remove"], "there is none to take off any more"


def test_a_label_that_is_put_on_meanwhile_is_shown_and_nothing_is_lost(look: Look, house: Tenant) -> None:
    hijacked(house)
    looker = opened(look(house, "flows", "operator"))
    page = looker.page
    page.multiselect(key="flow_label").set_value(["untrusted_seen"]).run()
    looker.write("flow_reason", "The file is our own.").draw()
    with house.client(agent_id="payer") as client, client.session(RUN):
        client.tool_answered(
            "read_file", f"Or rather to {IBAN}, says somebody else at some length.", arguments=["path"]
        )
    looker.press("flow_remove")
    assert "Nothing was changed." in looker.words
    assert "got label 'untrusted_seen' with what it was told as number 3, and if_told is 2" in looker.words
    assert "The session was told something 1 time since you began; `untrusted_seen` was put on again." in looker.words
    assert page.text_area(key="flow_reason").value == "The file is our own."
    assert page.multiselect(key="flow_label").value == ["untrusted_seen"]
    looker.press("flow_remove")
    assert "Nothing was changed." in looker.words, "the page was drawn anew, and nobody has said to have looked"
    looker.press("flow_reread").press("flow_remove")
    assert "It carries no label." in looker.words


def test_who_may_not_take_labels_off_reads_why(look: Look, house: Tenant) -> None:
    hijacked(house)
    looker = opened(look(house, "flows", "auditor"))
    assert "To take labels off, an operator's or an admin's key is needed." in looker.words
    assert looker.page.button(key="flow_remove").disabled
    assert looker.page.text_area(key="flow_reason").disabled


def told(number: int, **members: Any) -> FlowStep:
    kept: dict[str, Any] = {
        "kind": "result",
        "tool": "read_file",
        "call": number,
        "text": True,
        "labels": ["untrusted_seen"],
    }
    said: dict[str, Any] = {
        "number": number,
        "session_id": RUN,
        "agent_id": None,
        "action_id": None,
        "page": False,
        "complete": True,
        "reason": "",
        "by": "key_1",
    }
    return FlowStep(at=NOW + timedelta(seconds=number), told=FlowEntry(**(said | kept | members)), asked=None)


def asked(decision: Decision, **members: Any) -> FlowStep:
    said: dict[str, Any] = {
        "decision_id": "gd_1",
        "session_id": RUN,
        "agent_id": None,
        "action_id": None,
        "declared_goal": None,
        "action_type": "send_money",
        "would_decide": None,
        "reason": None,
        "risk_score": 10.0,
        "source": Source.LIVE,
        "status": None,
        "approval": None,
        "decided_by": None,
        "flow": None,
        "context": None,
    }
    return FlowStep(at=NOW, told=None, asked=FlowAsked(**(said | {"decision": decision} | members)))


def steps(*found: FlowStep, total: int | None = None, labels: tuple[str, ...] = (), **members: Any) -> FlowSteps:
    flow = FlowSession(
        org_id="org_1",
        flow_id="fl_1",
        session_id=RUN,
        parent_session_id=None,
        root_id="fl_1",
        agent_id=None,
        told=len(found),
        calls=0,
        complete=True,
        labels=list(labels),
        created_by="key_1",
        created_at=NOW,
        updated_at=NOW,
    )
    number = len(found) if total is None else total
    said: dict[str, Any] = {"before": number - len(found), "next_cursor": None, "missing": 0}
    return FlowSteps(flow=flow, steps=list(found), total=number, lastUpdated=NOW, **(said | members))


def test_the_sentence_says_what_became_of_what_was_stopped() -> None:
    went, stops = asked(Decision.ALLOW), asked(Decision.REQUIRE_APPROVAL, approval="denied", decided_by="olga")
    assert summary(steps()) == "Nothing was asked of guard here: it was told something 0 times. It carries no label."
    assert summary(steps(went)) == "Nothing was stopped: 1 call went on. It carries no label."
    would = asked(Decision.ALLOW, would_decide=Decision.BLOCK)
    assert "an observed policy would have stopped step 2" in summary(steps(went, would))
    assert summary(steps(went, stops)).startswith(
        "Of 2 calls 1 was stopped, 1 went on. `send_money` at step 2 was denied by olga."
    )
    both = summary(steps(asked(Decision.BLOCK), stops, asked(Decision.BLOCK)))
    assert both.startswith("Of 3 calls 3 were stopped. `send_money` at step 1 was blocked; steps 2 and 3 as well.")
    assert "at step 1 was to be asked about, and no action came of it." in summary(
        steps(asked(Decision.REQUIRE_APPROVAL))
    )
    many = summary(steps(*[asked(Decision.BLOCK)] * 9))
    assert many.startswith("Of 9 calls 9 were stopped. `send_money` at step 1 was blocked; steps 2, 3, 4 and 5 more as")
    late = summary(steps(stops, total=900))
    assert late.startswith("Of 1 call in the last 1 steps 1 was stopped. `send_money` at step 900 was denied by olga.")


def test_what_is_erased_is_not_counted_and_the_sentence_says_so() -> None:
    stops = asked(Decision.REQUIRE_APPROVAL, approval="denied", decided_by="olga")
    found = summary(replace(steps(stops, stops), missing=2))
    assert found.startswith("Of 2 calls that are left 2 were stopped. ")
    assert "Calls that are erased are not counted." in found
    assert summary(replace(steps(asked(Decision.ALLOW)), missing=1)).startswith(
        "Nothing was stopped: 1 call that is left went on. Calls that are erased are not counted."
    )


def test_since_when_a_label_holds_is_said_only_where_it_is_known() -> None:
    off = told(2, kind="removal", text=False, reason="ours")
    assert carries(steps(told(1), told(2), labels=("untrusted_seen",))) == "It carries `untrusted_seen` since step 1."
    again = steps(told(1), off, told(3), labels=("untrusted_seen",))
    assert carries(again) == "It carries `untrusted_seen` since step 3."
    assert carries(steps(told(1), off)) == "It carries no label."
    cut = steps(told(7), total=40, labels=("untrusted_seen",))
    assert carries(cut) == "It carries `untrusted_seen` since before the steps below."
    erased = replace(steps(told(2), labels=("untrusted_seen",)), missing=1)
    assert carries(erased) == "It carries `untrusted_seen` since before the steps below."


def test_what_is_read_aloud_names_the_steps_and_counts_the_rest() -> None:
    found = steps(told(1, kind="user", tool="", text=False), told(2), asked(Decision.BLOCK))
    assert (
        spoken_picture(found)
        == "Steps of the session: 1 the user; 2 read_file answered with text; 3 send_money, block."
    )
    many = steps(*[told(number) for number in range(1, 100)])
    assert spoken_picture(many).endswith("; and 59 steps more.")


def test_badges_and_lines_are_of_ours_and_texts_of_strangers_are_letters() -> None:
    assert "denied by olga" in verdict(
        asked(Decision.REQUIRE_APPROVAL, approval="denied", decided_by="olga").asked or fail()
    )
    assert "an observed policy would have asked" in verdict(
        asked(Decision.ALLOW, would_decide=Decision.BLOCK).asked or fail()
    )
    line = told_line(1, told(1, tool="`x` :red[a]", complete=False).told or fail())
    assert "`` `x` :red[a] ``" in line
    assert "not all of it is kept" in line


def test_a_step_says_who_told_it_where_that_is_not_who_began_the_session() -> None:
    flow = replace(steps().flow, agent_id="Payer")
    for kind, agent_id, by, said in (
        ("user", "payer", "key_1", ""),
        ("user", "payer", "key_2", " · told with key `key_2` as agent `payer`"),
        ("result", "reader", "key_1", " · told with key `key_1` as agent `reader`"),
        ("user", None, "key_2", " · told with key `key_2` as no agent"),
        ("removal", "payer", "key_2", ""),
    ):
        entry = told(1, kind=kind).told or fail()
        assert told_by(flow, replace(entry, agent_id=agent_id, by=by)) == said


def fail() -> Any:
    pytest.fail("there is none")


def test_its_address_keeps_the_session() -> None:
    address, problems = FlowsAddress.read({"session_id": RUN})
    assert (address.session_id, problems) == (RUN, [])
    assert msgspec.json.encode(address.query())


def test_steps_and_sessions_are_paged(look: Look, house: Tenant, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session_page, "MOST_STEPS", 2)
    monkeypatch.setattr(list_page, "LATELY", 1)
    hijacked(house)
    with house.client(agent_id="payer") as client, client.session("another"):
        client.user_said("Look")
    looker = opened(look(house, "flows"))
    assert "These are steps 4 to 5 of 5." in looker.words
    assert "Earlier steps" in looker.words
    assert "Latest steps" not in looker.words
    with house.client("admin", None) as client:
        cursor = client.get_flow_steps(client.get_flows(session_id=RUN).flows[0].flow_id, limit=2).next_cursor
        older = client.get_flows(limit=1).next_cursor
    looker.page.query_params["cursor"] = str(cursor)
    looker.draw()
    assert "These are steps 2 to 3 of 5." in looker.words
    assert "Latest steps" in looker.words
    assert "It carries `untrusted_seen` now." in looker.words
    looker.page.query_params["cursor"] = "none of ours"
    assert "These are steps 4 to 5 of 5." in looker.draw().words
    listed = look(house, "flows").draw()
    assert "2 sessions were told something: 0 of the 1 on this page carry a label." in listed.words
    listed.page.query_params["cursor"] = str(older)
    assert "1 of the 1 on this page carries a label." in listed.draw().words


def test_the_client_goes_through_all_steps_from_the_last_to_the_first(house: Tenant) -> None:
    hijacked(house)
    with house.client("admin", None) as client:
        flow_id = client.get_flows(session_id=RUN).flows[0].flow_id
        whole = client.get_flow_steps(flow_id).steps
        assert list(client.iterate_flow_steps(flow_id, limit=2)) == whole[::-1]
