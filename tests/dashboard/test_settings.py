"""The settings page, with a real service behind it."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from assent import Role
from assent.contract.people.rota import DAYS
from assent.proof.private_key import Signer, new_private_key, private_pem
from assent_dashboard.views.addresses import Section, SettingsAddress
from assent_dashboard.views.settings.dialogs import STATE
from assent_dashboard.views.settings.page import may, section_of
from tests.dashboard.looker import Looker
from tests.stories.tenant import Tenant

Look = Callable[..., Looker]


def at(looker: Looker, **address: str) -> Looker:
    """The page at an address."""
    for name, value in address.items():
        looker.page.query_params[name] = value
    return looker.draw()


def fill(looker: Looker, **texts: str) -> Looker:
    for key, text in texts.items():
        looker.page.text_input(key=key).set_value(text)
    return looker


def codes(looker: Looker) -> list[str]:
    return [str(code.value) for code in looker.page.code]


def held(looker: Looker) -> str:
    """Everything that the page keeps between two runs, as text."""
    return repr(dict(looker.page.session_state.items())) + repr(dict(looker.page.query_params))


@pytest.mark.parametrize(
    ("address", "role", "section", "problem"),
    [
        ({}, Role.ADMIN, Section.KEYS, False),
        ({}, Role.OPERATOR, Section.KILL_SWITCH, False),
        ({"pairing_id": "pair_1"}, Role.OPERATOR, Section.PAIRINGS, False),
        ({"section": "webhooks"}, Role.OPERATOR, Section.WEBHOOKS, False),
        ({"section": "billing"}, Role.ADMIN, Section.KEYS, True),
    ],
)
def test_the_section_of_an_address(address: dict[str, str], role: Role, section: Section, problem: bool) -> None:
    found, problems = SettingsAddress.read(address)
    assert (section_of(found, role), bool(problems)) == (section, problem)


def test_all_but_shifts_and_the_kill_switch_is_an_admins() -> None:
    assert [section for section in Section if may(section, Role.OPERATOR)] == [Section.SHIFTS, Section.KILL_SWITCH]
    assert all(may(section, Role.ADMIN) for section in Section)


def test_an_operator_is_told_why_and_nothing_is_asked_for(look: Look, house: Tenant) -> None:
    looker = look(house, "settings", "operator")
    for section in (Section.KEYS, Section.IDENTITIES, Section.WEBHOOKS):
        new = f"{section}_new"
        at(looker, section=section.value)
        assert "needs an admin key; yours is an operator key" in looker.words
        assert looker.page.button(key=new).disabled
    assert {line for line in looker.requests.take() if line != "GET /health"} == set()


def test_a_key_is_shown_once_and_gone_after_the_next_press(look: Look, house: Tenant) -> None:
    looker = at(look(house, "settings", "admin"), section="keys").press("keys_new")
    fill(looker, key_name="  Nadia **x** ")
    looker.page.selectbox(key="key_role").set_value(Role.OPERATOR)
    looker.press("confirm")
    (secret,) = codes(looker)
    assert house.call("GET", "/api/keys/own", key=secret)["name"] == "Nadia **x**"
    assert "shown this once" in looker.words
    assert secret not in held(looker), "the page keeps no secret, not even while it is shown"
    looker.press("done")
    assert secret not in looker.words + held(looker) + "".join(codes(looker))
    assert not looker.has("done")
    assert "**Nadia **x****" in looker.words
    assert "**operator**" in looker.words


def test_a_dialog_that_is_drawn_once_more_no_longer_has_the_secret(look: Look, house: Tenant) -> None:
    looker = at(look(house, "settings", "admin"), section="keys").press("keys_new")
    fill(looker, key_name="short-lived").press("confirm")
    assert "Name the agent that it speaks for, or say that it is for any." in looker.words
    looker.page.checkbox(key="key_any_agent").check()
    looker.press("confirm")
    (secret,) = codes(looker)
    looker.draw()
    assert codes(looker) == []
    assert "shown once and is not kept" in looker.words
    assert secret not in held(looker)
    assert STATE not in looker.press("done").page.session_state


def test_a_key_without_a_name_is_not_made(look: Look, house: Tenant) -> None:
    before = len(house.call("GET", "/api/keys")["keys"])
    looker = at(look(house, "settings", "admin"), section="keys").press("keys_new")
    fill(looker, key_name="   ").press("confirm")
    assert "Give it a name" in looker.words
    looker.press("cancel")
    assert len(house.call("GET", "/api/keys")["keys"]) == before


def test_a_key_is_revoked_after_a_second_press(look: Look, house: Tenant) -> None:
    house.add_key("leaver", "operator")
    id_ = house.key_ids["leaver"]
    looker = at(look(house, "settings", "admin"), section="keys").press(f"revoke-{id_}")
    assert house.send("GET", "/api/keys/own", key="leaver").status == 200, "the first press revokes nothing"
    looker.press("confirm")
    assert house.send("GET", "/api/keys/own", key="leaver").status == 401
    assert "Revoked: the leaver" in str(looker.page.toast[0].value)
    assert not looker.has(f"revoke-{id_}")


def test_the_last_admin_key_stays_and_the_page_says_why(look: Look, house: Tenant) -> None:
    looker = at(look(house, "settings", "admin"), section="keys").press(f"revoke-{house.key_ids['admin']}")
    assert "the key that you signed in with" in looker.words
    looker.press("confirm")
    assert looker.has("confirm"), "the dialog stays open"
    assert "admin" in looker.words
    assert house.send("GET", "/api/keys/own").status == 200


def test_an_agents_key_says_when_it_was_last_heard_of(look: Look, house: Tenant) -> None:
    house.add_key("robot", "agent", "robot-7")
    house.call("POST", "/api/agents/heartbeat", {}, key="robot")
    looker = at(look(house, "settings", "admin"), section="keys")
    assert "agent `robot-7` was last heard of with it" in looker.words
    assert "only as `robot-7`" in looker.words


def test_a_look_again_asks_nothing(look: Look, house: Tenant) -> None:
    for section in Section:
        looker = at(look(house, "settings", "admin"), section=section.value)
        looker.requests.take()
        assert looker.draw().requests.take() == [], section


def ask(house: Tenant, **more: Any) -> tuple[dict[str, Any], Signer]:
    own = Signer(new_private_key("Ed25519"))
    body = {"agent_id": "bot", "public_key": own.public_pem, "algorithm": "Ed25519", **more}
    return house.call("POST", "/api/pairings", body, key="agent"), own


def test_the_link_of_a_pairing_leads_to_it(look: Look, house: Tenant) -> None:
    made, _ = ask(house, agent_name="The ![x](http://192.0.2.1/x.png) bot")
    pairing = made["pairing"]
    assert made["pairing_url"].endswith(f"/settings?section=pairings&pairing_id={pairing['pairing_id']}")
    other, _ = ask(house)
    looker = at(look(house, "settings", "admin"), section="pairings", pairing_id=pairing["pairing_id"])
    assert codes(looker)[0] == pairing["fingerprint"], "the linked one comes first"
    assert "Also waiting" in str(looker.page.header[0].value)
    assert "![x](http" not in "".join(str(each.value) for each in looker.page.markdown)
    assert looker.has(f"approve-{other['pairing']['pairing_id']}")


def test_a_pairing_is_approved_once_its_fingerprint_fits(look: Look, house: Tenant) -> None:
    made, _ = ask(house)
    pairing = made["pairing"]
    looker = at(look(house, "settings", "admin"), pairing_id=pairing["pairing_id"])
    looker.press(f"approve-{pairing['pairing_id']}")
    fill(looker, fingerprint="sha256:" + "0" * 64).press("confirm")
    assert "two different keys" in looker.words
    assert house.call("GET", "/api/identities")["identities"] == []
    fill(looker, fingerprint=f" {pairing['fingerprint'].upper()} ").press("confirm")
    (identity,) = house.call("GET", "/api/identities")["identities"]
    assert identity["fingerprint"] == pairing["fingerprint"]
    assert identity["pairing_id"] == pairing["pairing_id"]
    assert "was approved by **" in looker.words


def test_another_key_of_the_same_agent_says_what_it_replaces(look: Look, house: Tenant) -> None:
    first, _ = ask(house)
    house.call("POST", f"/api/pairings/{first['pairing']['pairing_id']}/approve")
    second, _ = ask(house)
    looker = at(look(house, "settings", "admin"), section="pairings")
    assert f"It replaces the key that `bot` signs with now, `{first['pairing']['fingerprint']}`" in looker.words
    assert second["pairing"]["fingerprint"] in codes(looker)
    assert "**bot** · approved by" in looker.words


def test_a_link_that_leads_nowhere_or_to_another_organization(look: Look, house: Tenant) -> None:
    looker = at(look(house, "settings", "admin"), section="pairings", pairing_id="pair_nobody")
    assert "There is no pairing `pair_nobody`" in looker.words
    stranger = Tenant(house.service, house.http)
    made, _ = ask(stranger)
    at(looker, pairing_id=made["pairing"]["pairing_id"])
    assert "not among those of this organization" in looker.words
    assert not looker.has(f"approve-{made['pairing']['pairing_id']}")


def test_an_operator_sees_the_linked_pairing_and_cannot_approve_it(look: Look, house: Tenant) -> None:
    made, _ = ask(house)
    id_ = made["pairing"]["pairing_id"]
    looker = at(look(house, "settings", "operator"), section="pairings", pairing_id=id_)
    assert "**bot** asks that its signing key be trusted" in looker.words
    assert looker.page.button(key=f"approve-{id_}").disabled
    assert "needs an admin key" in looker.words
    house.call("POST", f"/api/pairings/{id_}/approve")
    looker.feed.count += 1
    assert "was approved" in looker.draw().words


def test_an_identity_is_registered_and_revoked(look: Look, house: Tenant) -> None:
    own = new_private_key("Ed25519")
    looker = at(look(house, "settings", "admin"), section="identities")
    assert "No agent's signature is known" in looker.words
    fill(looker.press("identities_new"), identity_agent="signer")
    looker.write("identity_key", private_pem(own).decode()).press("confirm")
    assert "This is a private key. It was not sent" in looker.words
    assert "POST /api/identities" not in looker.requests.take()
    looker.write("identity_key", "not a key").press("confirm")
    assert "PEM" in looker.words
    looker.write("identity_key", Signer(own).public_pem).press("confirm")
    (identity,) = house.call("GET", "/api/identities")["identities"]
    assert (identity["agent_id"], identity["algorithm"]) == ("signer", "Ed25519")
    assert identity["fingerprint"] in codes(looker)
    looker.press("revoke-identity-signer").press("confirm")
    assert house.call("GET", "/api/identities")["identities"][0]["revoked_at"] is not None
    assert ":gray-badge[revoked]" in looker.words


def test_the_kill_switch_needs_a_reason_and_two_presses(look: Look, house: Tenant) -> None:
    looker = at(look(house, "settings", "operator"))
    assert "Off: guard decides by policy" in str(looker.page.header[0].value)
    looker.press("halt").press("confirm")
    assert "Say why" in looker.words
    assert house.call("GET", "/api/halt")["halted"] is False
    looker.write("reason", "Something ![is](http://192.0.2.1) wrong").press("confirm")
    halt = house.call("GET", "/api/halt")
    assert (halt["halted"], halt["changed_by"]) == (True, "the operator")
    assert halt["reason"] == "Something ![is](http://192.0.2.1) wrong"
    assert house.call("POST", "/api/guard", {"action_type": "look"}, key="agent")["decision"] == "block"
    assert "On: everything is blocked" in str(looker.page.header[0].value)
    assert "![is](" not in "".join(str(each.value) for each in looker.page.markdown)
    looker.press("resume").press("confirm")
    assert house.call("GET", "/api/halt")["halted"] is False
    assert house.call("POST", "/api/guard", {"action_type": "look"}, key="agent")["decision"] == "allow"


def test_what_is_done_elsewhere_shows_when_the_stream_tells(look: Look, house: Tenant) -> None:
    looker = at(look(house, "settings", "operator"), section="kill-switch")
    house.call("POST", "/api/halt", {"reason": "from a terminal"})
    assert "Off" in str(looker.draw().page.header[0].value), "it asks nothing by itself"
    looker.feed.count += 1
    assert "On: everything" in str(looker.draw().page.header[0].value)


def test_a_section_that_is_none_says_so(look: Look, house: Tenant) -> None:
    assert (
        "section is 'billing'; it can be keys, pairings,"
        in at(look(house, "settings", "admin"), section="billing").words
    )


def test_a_session_that_ended_under_a_dialog_is_told(look: Look, house: Tenant) -> None:
    looker = at(look(house, "settings", "admin"), section="keys").press("keys_new")
    looker.http.close()
    fill(looker, key_name="too late", key_agent="bot")
    looker.page.button(key="confirm").click().run()
    assert "Your session has ended" in looker.words


def test_shifts_are_set_as_json_and_say_who_is_on_shift(look: Look, house: Tenant) -> None:
    looker = at(look(house, "settings", "admin"), section="shifts")
    assert "Nobody has said who is on shift when" in looker.words
    looker.press("rota_edit")
    form = looker.page.text_area(key="rota_text")
    form.set_value("[{")
    looker.press("confirm")
    assert house.call("GET", "/api/rota")["rota"] is None
    always = [{"days": [str(day) for day in DAYS], "start": "00:00", "end": "00:00"}]
    wrong = {"name": "All", "members": ["the operator", "zoe"], "time_zone": "Europe/Atlantis", "shifts": always}
    looker.page.text_area(key="rota_text").set_value(json.dumps([wrong]))
    looker.press("confirm")
    assert "is no time zone that is known here" in looker.words
    looker.page.text_area(key="rota_text").set_value(json.dumps([wrong | {"time_zone": "Europe/Berlin"}]))
    looker.press("confirm")
    assert house.call("GET", "/api/rota")["covered"]
    shown = looker.draw().words
    assert "Somebody is on shift" in shown
    assert "**All** is on shift, always: the operator. :orange[Without a valid key: zoe]" in shown
    assert "every day, all day, Europe/Berlin" in shown
    mine = at(look(house, "settings", "operator"), section="shifts")
    assert "Somebody is on shift" in mine.words
    assert mine.page.button(key="rota_edit").disabled
