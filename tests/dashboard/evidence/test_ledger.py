"""The ledger's list, with a real service behind it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest
import streamlit as st

from tests.dashboard.evidence.ledger_page import LedgerPage, Look
from tests.stories.tenant import Tenant
from tests.tiers import deep

Open = Callable[..., LedgerPage]
FAILED, SENT, PAID = "Deploy the fix", "Tell the customer", "Pay the supplier"


@pytest.fixture
def ledger(look: Look, house: Tenant) -> Open:
    """Opens the ledger at an address; nothing is remembered from another test."""
    st.cache_data.clear()
    st.cache_resource.clear()
    return lambda **address: LedgerPage.of(look, house, **address)


@pytest.fixture
def history(house: Tenant) -> dict[str, str]:
    """Four actions of two agents: ids by what they wanted. One of them was simulated."""
    long_ago = (datetime.now(UTC) - timedelta(days=20)).isoformat()
    made = {
        "old": house.create(
            "deploy",
            declared_goal="Long ago",
            agent_id="builder",
            source="simulated",
            occurred_at=long_ago,
            key="admin",
        ),
        "failed": house.create("deploy", declared_goal=FAILED, agent_id="builder"),
        "sent": house.create("mail", declared_goal=SENT, agent_id="writer"),
        "paid": house.create("pay", declared_goal=PAID, agent_id="writer"),
    }
    house.call("PATCH", f"/api/actions/{made['failed']}", {"status": "failed", "duration_ms": 1500})
    house.call("PATCH", f"/api/actions/{made['sent']}", {"status": "completed"})
    return made


def goals(page: LedgerPage) -> list[str]:
    return [] if page.rows is None else list(page.rows["goal"])


def test_an_empty_ledger_says_what_to_change(ledger: Open) -> None:
    page = ledger()
    assert page.rows is None
    assert (
        "No action fits these filters in the last 7 days.**\nTo see more, look further back; or connect" in page.words
    )
    assert 'client.create_action("pay", "Pay invoice 7")' in page.words
    narrowed = ledger(agent_id="nobody").words
    assert "take a filter out" in narrowed
    assert "client.create_action" not in narrowed
    assert "No decision fits" in ledger(view="decisions").words


def test_the_list_is_newest_first_with_counts_of_all_that_fits(ledger: Open, history: dict[str, str]) -> None:
    page = ledger()
    assert goals(page) == [PAID, SENT, FAILED]
    first, last = page.rows.iloc[0], page.rows.iloc[2]
    assert (first["agent"], first["type"], list(first["decision"])) == ("writer", "pay", ["require approval"])
    assert list(first["status"]) == ["pending approval"]
    assert (list(last["status"]), last["took"]) == (["failed"], "1.50 s")
    assert "**3 actions** · 1 completed · 1 failed · 0 running" in page.words
    assert "simulated" not in page.words


@deep("a page's main ways are in the quick tier")
def test_simulated_rows_are_called_so(ledger: Open, history: dict[str, str]) -> None:
    page = ledger(window="30d")
    assert goals(page)[3] == "Long ago"
    assert list(page.rows.iloc[3]["source"]) == ["simulated"]
    assert list(page.rows.iloc[0]["source"]) == []
    assert ":violet-badge[simulated] 1 of the 4 rows on this page were made by a simulator." in page.words
    decisions = ledger(window="30d", view="decisions")
    assert ":violet-badge[simulated] 1 of the 4 rows" in decisions.words


@pytest.mark.parametrize(
    ("address", "shown"),
    [
        pytest.param(
            {"window": "30d"}, [PAID, SENT, FAILED, "Long ago"], marks=deep("four views are in the quick tier")
        ),
        ({"agent_id": "builder"}, [FAILED]),
        pytest.param({"action_type": "mail"}, [SENT], marks=deep("four views are in the quick tier")),
        pytest.param({"status": "failed"}, [FAILED], marks=deep("four views are in the quick tier")),
        pytest.param({"decision": "require_approval"}, [PAID], marks=deep("four views are in the quick tier")),
        ({"agent_id": "writer", "status": "completed"}, [SENT]),
        ({"view": "decisions", "agent_id": "writer"}, [PAID, SENT]),
        pytest.param(
            {"view": "decisions", "status": "failed", "decision": "require_approval"},
            [PAID],
            marks=deep("four views are in the quick tier"),
        ),
        ({"agent_id": "builder", "decision": "block"}, []),
    ],
)
def test_a_deep_link_gives_its_view(
    ledger: Open, history: dict[str, str], address: dict[str, str], shown: list[str]
) -> None:
    page = ledger(**address)
    assert goals(page) == shown
    assert page.address == address, "looking changes no address"
    for name, value in address.items():
        if name != "view":
            assert page.page.selectbox(key=f"ledger_{name}").value == value


@deep("a page's main ways are in the quick tier")
def test_what_is_chosen_goes_into_the_address(ledger: Open, history: dict[str, str]) -> None:
    page = ledger()
    assert page.page.selectbox(key="ledger_agent_id").options == ["builder", "writer"]
    assert page.page.selectbox(key="ledger_action_type").options == ["deploy", "mail", "pay"]
    page.choose("agent_id", "writer").choose("status", "completed").choose("window", "30d")
    assert page.address == {"window": "30d", "agent_id": "writer", "status": "completed"}
    assert goals(page) == [SENT]
    page.choose("agent_id", None)
    assert "agent_id" not in page.address
    page.press("ledger_clear")
    assert page.address == {"window": "30d"}
    assert goals(page) == [PAID, SENT, FAILED, "Long ago"]


@deep("a page's main ways are in the quick tier")
def test_a_name_that_is_typed_is_asked_for_and_stays_to_choose(ledger: Open, history: dict[str, str]) -> None:
    page = ledger().type("agent_id", "somebody-else")
    assert page.address["agent_id"] == "somebody-else"
    assert page.rows is None
    assert "somebody-else" in page.page.selectbox(key="ledger_agent_id").options


@deep("a page's main ways are in the quick tier")
@pytest.mark.parametrize("window", ["abc", "0d", "-1d", "9999999d"])
def test_a_window_that_is_none_is_told_and_the_week_is_shown(
    ledger: Open, history: dict[str, str], window: str
) -> None:
    page = ledger(window=window, agent_id="writer", status="nope", view="nope", decision="nope")
    assert f"window is '{window}'; give whole days" in page.words
    for name in ("status", "view", "decision"):
        assert f"{name} is 'nope'; it can be" in page.words
    assert goals(page) == [PAID, SENT]
    page.choose("window", "30d")
    assert page.address == {"window": "30d", "agent_id": "writer"}, "what meant nothing goes with the next choice"
    assert "nope" not in page.words


def test_pages_follow_each_other_and_lead_back(ledger: Open, house: Tenant) -> None:
    for number in range(120):
        house.create("look", declared_goal=f"Look {number}", agent_id="bot")
    page = ledger(agent_id="bot")
    expected = [f"Look {number}" for number in reversed(range(120))]
    assert goals(page) == expected[:50]
    assert "1–50 of 120" in page.words
    assert page.page.button(key="ledger_newer").disabled
    page.press("ledger_older")
    assert goals(page) == expected[50:100]
    second = page.address["cursor"]
    page.press("ledger_older")
    assert goals(page) == expected[100:]
    assert "101–120 of 120" in page.words
    assert page.page.button(key="ledger_older").disabled
    page.press("ledger_newer")
    assert (goals(page), page.address["cursor"]) == (expected[50:100], second)
    page.press("ledger_newer")
    assert goals(page) == expected[:50]
    assert "cursor" not in page.address
    linked = ledger(agent_id="bot", cursor=second)
    assert goals(linked) == expected[50:100]
    assert "50 of 120" in linked.words
    linked.press("ledger_newer")
    assert goals(linked) == expected[:50]
    page.press("ledger_older").choose("window", "30d")
    assert "cursor" not in page.address, "another list begins at its first page"


@deep("a page's main ways are in the quick tier")
def test_a_page_that_is_none_is_told_and_the_first_is_shown(ledger: Open, history: dict[str, str]) -> None:
    page = ledger(cursor="nonsense")
    assert "The address names a page that is none; this is the first one." in page.words
    assert goals(page) == [PAID, SENT, FAILED]
    assert "1–3 of 3" in page.words


def test_a_look_again_asks_nothing_until_it_is_asked_to(ledger: Open, history: dict[str, str]) -> None:
    page = ledger()
    assert "Last checked, by the service's clock: " in page.words
    asked = sorted(set(page.requests.take()) - {"GET /health"})
    assert asked == [
        "GET /api/actions",
        "GET /api/data/approvals",
        "GET /api/guard",
        "GET /api/insight/approvals",
        "GET /api/insight/decisions",
    ]
    page.run()
    assert page.requests.take() == []
    page.press("ledger_again")
    assert sorted(page.requests.take()) == [each for each in asked if each != "GET /api/guard"]


@deep("a page's main ways are in the quick tier")
def test_the_pictures_say_what_they_show(ledger: Open, history: dict[str, str]) -> None:
    page = ledger()
    said = [str(each.proto.alt) for each in page.page.get("vega_lite_chart")]
    assert said == [
        "Guard's decisions by day: 2 allowed, 0 with a warning, 1 sent to an operator, 0 blocked.",
        "Time to decide: no operator has decided anything in this window.",
        said[2],
    ]
    assert said[2].startswith("Approvals that waited at a time: 1 at most, first at ")
    assert said[2].endswith("; 1 of those asked in this window wait now.")


def test_two_organizations_never_see_each_others_names(
    ledger: Open, look: Look, history: dict[str, str], house: Tenant
) -> None:
    assert ledger().page.selectbox(key="ledger_agent_id").options == ["builder", "writer"]
    other = Tenant(house.service, house.http)
    other.create("look", agent_id="stranger")
    assert LedgerPage.of(look, other).page.selectbox(key="ledger_agent_id").options == ["stranger"]


def test_what_strangers_wrote_is_no_markdown(ledger: Open, house: Tenant) -> None:
    house.create("look", declared_goal="![x](http://192.0.2.1/x.png)\u202e", agent_id="![y](http://192.0.2.1)")
    page = ledger(agent_id="![z](http://192.0.2.1)")
    assert page.rows is None
    page = ledger()
    assert goals(page) == ["![x](http://192.0.2.1/x.png)\ufffd"], "a table's text column knows no Markdown"
    assert not any("![" in str(each.value) for kind in (page.page.markdown, page.page.caption) for each in kind)
