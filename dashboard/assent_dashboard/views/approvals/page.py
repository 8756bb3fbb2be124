"""The approvals page: what waits for a person, live, what was decided in the window, and both as tables to take away.

What waits is the inbox (`assent_dashboard/inbox`): a component of its own with list, request, selection and keys, which
speaks to this process by routes of its own and not by runs of this script. Around it is what every page has.

Keyboard: `j` and `k` move the cursor, `x` selects, `a` allows, `d` denies, `u` takes back what has not left, `e` asks
the agent back, `s` puts off, `m` comments, `i` takes it and `I` gives it to somebody, `f` allows the like from now on,
`/` searches, `?` tells them all.

Selectors that stay the same, as CSS classes `st-key-<key>`: `approvals_head`, `approvals_scope` and `approvals_again`
are the frame, `order` the order and `whose` whose requests; `decided-<action_id>` is a line of what was decided.
Inside the inbox (`.inbox`, with `data-ready` once it has its list) a row is `#inbox-option-<action_id>`, the request
beside the list `.inbox-detail` with its id in `data-id`, its buttons `.inbox-allow`, `.inbox-deny` and `.inbox-more`,
the form before a decision `.inbox-form` with `.inbox-reason`, `.inbox-conditions`, `.inbox-minutes`, `.inbox-typed`,
`.inbox-confirm` and `.inbox-cancel`, the bar of what can be taken back `.inbox-undo`, what came otherwise
`.inbox-notice`; beside the keys `.inbox-tells` switches browser notices and `.inbox-sounds` the sound. The other forms
have `.inbox-question` and `.inbox-offer`, `.inbox-comment`, `.inbox-until-choice`, `.inbox-until-time` and
`.inbox-until-back`, `.inbox-pattern`, `.inbox-days`, `.inbox-uses` and `.inbox-grant-reason`, `.inbox-colleagues`;
`.inbox-asleep-too` shows what is put off, `.inbox-whose` in a row says whose it is and `.inbox-escalated` to which
group it was escalated, `.inbox-escalation` beside the list why, `.inbox-shifts` above it who is on shift.
`.inbox-saved` opens the views that have a name: `.inbox-view` opens one, `.inbox-view-forget` forgets it,
`.inbox-view-name` and `.inbox-view-save` name what is shown.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from hashlib import sha256
from typing import Any
from urllib.parse import parse_qsl

import msgspec
import polars as pl
import streamlit as st

from assent_dashboard.feed import APPROVALS
from assent_dashboard.inbox.routes import files
from assent_dashboard.sessions import Session
from assent_dashboard.views import words
from assent_dashboard.views.address import LONGEST_LINK
from assent_dashboard.views.addresses import LONGEST_SEARCH, ApprovalsAddress, Order, Scope, Whose
from assent_dashboard.views.answers import AWAY
from assent_dashboard.views.approvals.decided import FALLBACK_SECONDS, Decided, Item
from assent_dashboard.views.approvals.history import draw_history
from assent_dashboard.views.controls import draw_problems, draw_scope, drawn, go, here, names, put
from assent_dashboard.views.export import draw_export
from assent_dashboard.views.frame import beat

STATE = "assent_decided"
BEAT_SECONDS = 5.0


def show(session: Session) -> None:
    address, problems = here(ApprovalsAddress)
    past = load(session, address.scope)
    with st.container(
        key="approvals_head", horizontal=True, horizontal_alignment="distribute", vertical_alignment="center"
    ):
        st.title("Approvals", width="content")
        with st.container(width="content"):
            draw_tables(session, past, address)
    draw_controls(session, address)
    # Of one height in the page, so that the inbox keeps its place whatever is wrong with an address.
    with st.container(gap=None):
        draw_problems(problems)
    draw_inbox(address)
    draw_checked(past, session.feed.live)
    if past.server_time is not None:
        draw_history(past)
    beat(lambda: past.due(session.feed.version(APPROVALS), session.feed.live), every=BEAT_SECONDS, age=60.0)


def draw_tables(session: Session, past: Decided, address: ApprovalsAddress) -> None:
    """Nothing, while the service is away and nothing was read yet."""
    try:
        found = tables(session, past)
    except AWAY:
        return
    draw_export("approvals", found, address.window)


def load(session: Session, scope: Scope) -> Decided:
    """What was decided; asks the service only when there is a reason to."""
    past = st.session_state.get(STATE)
    if not isinstance(past, Decided) or past.scope != scope:
        past = Decided(scope=scope)
    version = session.feed.version(APPROVALS)
    if past.due(version, session.feed.live):
        past.refresh(session.client, version)
    st.session_state[STATE] = past
    return past


# The inbox, as a component. Its scripts come from a route of this process, behind the session's gate; what stands here
# only asks for them. The component's data is the page's address and nothing else, so that a run of this script changes
# nothing in it.


INBOX = "approvals_inbox"
ASKS = """from assent import Client

with Client() as client:
    asked = client.create_action(
        "refund",
        "Refund order 1042: the parcel never came",
        agent_id="my-agent",
        systems_touched=["payments"],
        status="pending_approval",
    )
    client.wait_for_approval(asked.action_id)
"""
_LOADS = """export default function (component) {{
  let end = () => {{}}, over = false;
  import(new URL("/inbox/frontend/mount.js?{version}", location.origin).href).then((inbox) => {{
    if (!over) end = inbox.mount(component);
  }});
  return () => {{ over = true; end(); }};
}}"""


def draw_inbox(address: ApprovalsAddress) -> None:
    scripts = files()
    version = sha256(b"".join(content for content, _ in scripts.values())).hexdigest()[:12]
    inbox = st.components.v2.component(
        "assent_inbox",
        html='<div class="inbox"></div>',
        css=scripts["inbox.css"][0].decode(),
        js=_LOADS.format(version=version),
        isolate_styles=False,
    )
    inbox(
        key=INBOX,
        data={
            "order": str(address.order),
            "agent_id": address.agent_id,
            "action_type": address.action_type,
            "search": address.search,
            "whose": str(address.whose),
            "action_id": address.action_id,
            "view": replace(address, action_id=None).query(),
            "asks": ASKS,
        },
        on_search_change=_search,
        on_widen_change=_widen,
        on_view_change=_open_view,
    )


def _search() -> None:
    text = st.session_state[INBOX].get("search")
    put(drawn(ApprovalsAddress), search=str(text)[:LONGEST_SEARCH] if text else None)


def _open_view() -> None:
    """A view that has a name in this browser, as a link would ask for it."""
    text = st.session_state[INBOX].get("view")
    if text:
        go(ApprovalsAddress.read(dict(parse_qsl(str(text)[:LONGEST_LINK])))[0])


def _widen() -> None:
    put(drawn(ApprovalsAddress), agent_id=None, action_type=None, search=None, whose=None)


# What stands around it: what the page is asked to look at, its order, and when the service was asked.


ORDER = "order"
LABELS = {Order.NEWEST: "Newest", Order.EXPIRES: "Expires first", Order.RISK: "Highest risk"}
WHOSE = "whose"
OWNERS = {Whose.ALL: "All", Whose.MINE: "Mine", Whose.FREE: "Nobody's"}


def draw_controls(session: Session, address: ApprovalsAddress) -> None:
    def chosen() -> None:
        picked = Order(st.session_state[ORDER] or Order.NEWEST)
        put(address, order=None if picked is Order.NEWEST else str(picked))

    def narrowed() -> None:
        picked = Whose(st.session_state[WHOSE] or Whose.ALL)
        put(address, whose=None if picked is Whose.ALL else str(picked))

    with st.container(key="approvals_scope", horizontal=True, vertical_alignment="bottom", gap="small"):
        draw_scope(address, names(session))
        st.session_state[ORDER] = address.order
        st.segmented_control(
            "Order", list(Order), format_func=LABELS.__getitem__, key=ORDER, required=True, on_change=chosen
        )
        st.session_state[WHOSE] = address.whose
        st.segmented_control(
            "Whose", list(Whose), format_func=OWNERS.__getitem__, key=WHOSE, required=True, on_change=narrowed
        )


def draw_checked(past: Decided, live: bool) -> None:
    """When the service was asked, how the page stays true, and what the service's silence means."""
    asked = past.server_time
    if asked is None:
        st.warning("The service does not answer. This page comes back by itself.", icon=":material/hourglass_empty:")
        st.caption(words.plain(past.problem or ""))
        return
    now = past.now()
    how = "live" if live else f"asks every {FALLBACK_SECONDS:g} s"
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.caption(
            f"Last checked, by the service's clock: {words.moment(asked)} ({words.ago(asked, now)}; {how}). "
            "Whatever waits is shown; the window is for what was decided.",
            width="content",
        )
        st.button(
            "Check again", key="approvals_again", icon=":material/refresh:", on_click=past.outdate, type="tertiary"
        )
    if past.problem is not None:
        st.warning(
            f"The service does not answer just now. This is what it said at {words.clock(asked)}; "
            "the page goes on by itself.",
            icon=":material/hourglass_empty:",
        )


# What the page shows as tables, for the export: what waits, and what was decided. Pure.


TIME = pl.Datetime("us", "UTC")
SCHEMA: dict[str, Any] = {
    "action_id": pl.String,
    "approval_id": pl.String,
    "agent_id": pl.String,
    "agent_name": pl.String,
    "action_type": pl.String,
    "declared_goal": pl.String,
    "systems_touched": pl.List(pl.String),
    "reversible": pl.Boolean,
    "risk_score": pl.Float64,
    "agent_risk_score": pl.Float64,
    "source": pl.String,
    "status": pl.String,
    "reasons": pl.List(pl.String),
    "matched_policies": pl.List(pl.String),
    "metadata": pl.String,
    "parameters_digest": pl.String,
    "requested_at": TIME,
    "expires_at": TIME,
    "state": pl.String,
    "decided_at": TIME,
    "decided_by": pl.String,
    "self_decided": pl.Boolean,
    "reasoning": pl.String,
    "conditions": pl.List(pl.String),
    "valid_until": TIME,
    "claimed_at": TIME,
    "context_digest": pl.String,
}
ON_ACTION = frozenset(
    {"agent_name", "reversible", "risk_score", "agent_risk_score", "source", "status", "metadata", "systems_touched"}
)


def tables(session: Session, past: Decided) -> dict[str, pl.DataFrame]:
    scope = past.scope
    waiting = [
        item
        for item in session.desk.waiting()
        if scope.agent_id in (None, item.action.agent_id) and scope.action_type in (None, item.action.action_type)
    ]
    waiting.sort(key=lambda item: item.approval.requested_at, reverse=True)
    return {"waiting": table(waiting), "decided": table(past.items)}


def table(items: Sequence[Item]) -> pl.DataFrame:
    return pl.DataFrame([_row(item) for item in items], schema=SCHEMA)


def _row(item: Item) -> dict[str, Any]:
    row = {name: _value(getattr(item.action if name in ON_ACTION else item.approval, name, None)) for name in SCHEMA}
    return row | {"context_digest": item.context_digest}


def _value(value: Any) -> Any:
    if isinstance(value, dict):
        return msgspec.json.encode(value).decode()
    return value if isinstance(value, datetime) else msgspec.to_builtins(value)
