"""The list of policies, in the order in which guard names them, with how often each matches and what observed ones
would have done.

Keys: `policies_new`, `policies_pack` (the YAML of all), `policies_find`, `policies_shown`, `policies_more`; for each
policy `policy-<id>` (its card), and in it `policy_edit_<id>`, `policy_switch_<id>`, `policy_mode_<id>`,
`policy_delete_<id>`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

import streamlit as st

from assent.contract.analysis.backtest import Backtest
from assent.contract.control.escalations import unheard
from assent.contract.control.guard import Decision
from assent.contract.control.policies import Mode, Policy
from assent.contract.control.rules import AlwaysAsk
from assent.errors import ApiError
from assent.packs import entry, write_pack
from assent_dashboard.sessions import Session
from assent_dashboard.views import words
from assent_dashboard.views.addresses import Scope, in_words
from assent_dashboard.views.answers import forget
from assent_dashboard.views.blocks import empty
from assent_dashboard.views.policies import confirm, drafts
from assent_dashboard.views.policies.backtest import Running, draw_running
from assent_dashboard.views.policies.data import PolicyList, in_order, state
from assent_dashboard.views.policies.draft import NEW
from assent_dashboard.views.policies.observed import would_have
from assent_dashboard.views.policies.save import may_save
from assent_dashboard.views.policies.sentences import does, names
from assent_dashboard.views.press import attempt

STEP, SHOWN = 25, "assent_policies_shown"
MANY = 8
"""From so many policies on, one may search among them."""
ALWAYS = {
    AlwaysAsk.DESTRUCTIVE: "asks about what destroys although a standing grant covers it",
    AlwaysAsk.ALWAYS: "always asks, although a standing grant covers it",
}
BADGES = {
    "Enforced": ":green-badge[:material/gavel: Enforced]",
    "Observed": ":blue-badge[:material/visibility: Observed]",
    "Off": ":gray-badge[:material/pause: Off]",
}


def draw_listing(session: Session, scope: Scope, listing: PolicyList, matches: Matches) -> None:
    admin = may_save(session)
    if listing.policies:
        st.markdown(f"**{headline(listing.policies)}**")
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.button("New policy", key="policies_new", icon=":material/add:", on_click=drafts.go, args=(NEW,))
        if listing.policies:
            st.download_button(
                "Download YAML pack",
                data=lambda: write_pack(entry(policy) for policy in listing.policies),
                file_name="assent-policies.yaml",
                mime="application/yaml",
                key="policies_pack",
                icon=":material/download:",
                on_click="ignore",
            )
    if not listing.policies:
        draw_starting(session)
        return
    st.caption(
        "Guard asks all of them about every action, and the strictest answer counts. Reasons are given in this order."
    )
    if not admin:
        st.caption(":material/lock: Your key is an operator's: changing policies needs an admin key.")
    matches.tell(scope)
    chosen = _choose(listing)
    shown = int(st.session_state.get(SHOWN, STEP))
    changed = drafts.touched()
    for policy in chosen[:shown]:
        _card(session, policy, listing, matches.found, scope, admin=admin, changed=policy.policy_id in changed)
    if not chosen:
        st.info("No policy fits your choice.", icon=":material/search_off:")
    if len(chosen) > shown:
        st.button(f"Show {min(STEP, len(chosen) - shown)} more", key="policies_more", on_click=_more)


def headline(policies: Sequence[Policy]) -> str:
    """`Guard goes by 3 policies; 2 more only observe, and 1 is off.`"""
    counts = Counter(state(each) for each in policies)
    enforced, observed, off = (counts[name] for name in BADGES)
    if not enforced:
        said = "No policy is enforced, so guard allows everything"
    else:
        said = f"Guard goes by {words.several(enforced, 'policy', 'policies')}"
    more = "more " if enforced else ""
    rest = [f"{words.amount(observed)} {more}only {'observes' if observed == 1 else 'observe'}"] if observed else []
    rest += [f"{words.amount(off)} {'is' if off == 1 else 'are'} off"] if off else []
    return f"{said}; {', and '.join(rest)}." if rest else f"{said}."


def _choose(listing: PolicyList) -> list[Policy]:
    if len(listing.policies) < MANY:
        return list(listing.policies)
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        text = st.text_input("Find", key="policies_find", placeholder="A word of a name or rule", width=260)
        shown = st.pills("Show", list(BADGES), selection_mode="multi", key="policies_shown")
    return in_order(listing.policies, text or "", shown or [])


def _more() -> None:
    st.session_state[SHOWN] = int(st.session_state.get(SHOWN, STEP)) + STEP


def _card(
    session: Session,
    policy: Policy,
    listing: PolicyList,
    found: Backtest | None,
    scope: Scope,
    *,
    admin: bool,
    changed: bool,
) -> None:
    with st.container(border=True, key=f"policy-{policy.policy_id}", gap="small"):
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            st.markdown(f"**{words.plain(policy.name)}**", width="content")
            draft = " :orange-badge[:material/edit: Draft not saved]" if changed else ""
            st.markdown(f"{BADGES[state(policy)]}{draft}", width="content")
        st.markdown(words.plain(does(policy.policy_type, policy.rules)))
        now = session.clock.now()
        facts = [
            agents_in_words(policy.agent_ids),
            *matches_in_words(policy, found, scope),
            change_in_words(policy, listing, now),
        ]
        if policy.always_ask in ALWAYS:
            facts.append(ALWAYS[policy.always_ask])
        if policy.explore and policy.active:
            facts.append(explored_in_words(policy, listing))
        if policy.mode is Mode.OBSERVE and policy.active:
            facts.append(would_have(policy, listing.observed()))
        st.caption(" · ".join(words.plain(each) for each in facts))
        if policy.active and (silent := unheard(policy, listing.duty())) is not None:
            st.markdown(f":orange[:material/warning:] {words.plain(silent)}")
        _buttons(policy, admin=admin)


def _buttons(policy: Policy, *, admin: bool) -> None:
    with st.container(horizontal=True, gap="small"):
        _button("Open", "edit", policy, ":material/edit:", drafts.go, policy.policy_id)
        off = "off" if policy.active else "on"
        mode = "observe" if policy.mode is Mode.ENFORCE else "enforce"
        for key, kind in (("switch", off), ("mode", mode), ("delete", "delete")):
            change = confirm.CHANGES[kind]
            _button(change.button, key, policy, change.icon, confirm.ask, kind, policy, disabled=not admin)


def _button(
    label: str, key: str, policy: Policy, icon: str, act: Callable[..., None], *given: object, disabled: bool = False
) -> None:
    st.button(
        label,
        key=f"policy_{key}_{policy.policy_id}",
        icon=icon,
        type="tertiary",
        on_click=act,
        args=given,
        disabled=disabled,
    )


def agents_in_words(agent_ids: list[str]) -> str:
    return f"For {names(agent_ids).replace(' or ', ' and ')}" if agent_ids else "For every agent"


def matches_in_words(policy: Policy, found: Backtest | None, scope: Scope) -> list[str]:
    """How often it matched; nothing for a policy that is off, or while nobody knows."""
    if found is None or not policy.active:
        return []
    matched = next((each.matched for each in found.policies if each.policy_id == policy.policy_id), None)
    if matched is None:
        return ["how often it matches cannot be replayed"]
    flow = next((each for each in found.flows if each.policy_id == policy.policy_id), None)
    if flow is not None and flow.decided < flow.n:
        known = f"{words.amount(flow.asked)} of {words.several(flow.decided, 'decision')} with a trace"
        return [f"matches {known} in {in_words(scope.window)}, {words.amount(flow.n - flow.decided)} are not known"]
    return [f"matches {words.amount(matched)} of {words.several(found.n, 'decision')} of {in_words(scope.window)}"]


def change_in_words(policy: Policy, listing: PolicyList, now: datetime) -> str:
    did = "made" if policy.created_at == policy.updated_at else "changed"
    return f"{did} by {listing.named(policy.updated_by)} {words.ago(policy.updated_at, now)}"


def explored_in_words(policy: Policy, listing: PolicyList) -> str:
    """That a policy explores, and how often it did among the newest decisions."""
    allowed = "if the organization has opted in, for reversible actions below its bound only"
    share = f"explores: does the other thing in {100 * policy.explore:g} % of hours ({allowed})"
    if policy.mode is Mode.OBSERVE:
        return f"{share} once it is enforced"
    seen = listing.explored(policy.policy_id)
    of = f"the newest {words.several(len(listing.lately), 'decision')}" if listing.lately else "the decisions"
    passed = sum(each.decision is not Decision.REQUIRE_APPROVAL for each in seen)
    asked = len(seen) - passed
    if not seen:
        return f"{share}, and did in none of {of}"
    return f"{share}; of {of} it let {words.amount(passed)} pass and asked about {words.amount(asked)} to find out"


# Where there is no policy yet: what that means, and something to begin with. Key: `policies_starter`.


STARTER = "default"


def draw_starting(session: Session) -> None:
    empty(
        "There are no policies, so guard allows everything.",
        "Begin with the starter pack: one policy blocks irreversible destruction in production, and three only observe "
        "risk at 60 and 80 and where values come from, so that you see what asking would cost before anybody is asked. "
        "A policy that asks every ten seconds is switched off within a week: backtest before you enforce.",
        "assent policies import --pack default",
        language="bash",
        key="policies_empty",
    )
    admin = may_save(session)
    pressed = st.button(
        "Add the starter pack", key="policies_starter", type="primary", icon=":material/add:", disabled=not admin
    )
    if not admin:
        st.caption(":material/lock: Your key is an operator's: adding policies needs an admin key.")
    if pressed:
        added, problem = attempt(lambda: session.client.import_policies(pack=STARTER), "look at the list again")
        if added is None:
            st.error(words.plain(problem), icon=":material/error:")
            return
        forget("policies")
        st.session_state[drafts.SAID] = f"Added {words.several(added.imported, 'policy', 'policies')}"
        st.rerun()


# How often each policy matches in the window: counted by the service, beside the page.
#
# The service decides every decision of the window again, which takes seconds over a million of them; so the list stands
# before the numbers do. They are counted anew when the policies, the window or the agent are others.


MATCHES_STATE = "assent_policy_matches"
SOON = 0.25


@dataclass(frozen=True)
class Matches:
    running: Running[Backtest] | None

    @property
    def found(self) -> Backtest | None:
        return None if self.running is None else self.running.answer

    def tell(self, scope: Scope) -> None:
        """What is known of the numbers, above the list."""
        running = self.running
        if running is None:
            return
        if not running.done:
            draw_running(running, "Counting how often each policy matches.", key="policies_counting")
        elif running.error is not None:
            detail = running.error.detail if isinstance(running.error, ApiError) else str(running.error)
            st.caption(f":material/info: How often they match cannot be counted. {words.plain(detail)}")
        elif running.answer is not None and running.answer.n:
            st.caption(
                f"Matches are counted by deciding all {words.several(running.answer.n, 'decision')} of "
                f"{in_words(scope.window)} again by today's policies."
            )


def counted(session: Session, scope: Scope, listing: PolicyList) -> Matches:
    """The numbers, or their being counted."""
    if not listing.policies:
        return Matches(None)
    asked = (listing.version, scope.window, scope.agent_id)
    running = st.session_state.get(MATCHES_STATE)
    if not isinstance(running, Running) or running.question != asked:
        client = session.client
        running = st.session_state[MATCHES_STATE] = Running(
            lambda: client.backtest(None, scope.window, agent_id=scope.agent_id), asked
        )
        running.wait(SOON)
    return Matches(running)
