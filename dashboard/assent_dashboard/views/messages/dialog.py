"""The dialog in which an operator writes; while it is open the page below is not drawn anew by itself.

Keys: `messages_to`, `messages_subject`, `messages_kind`, `messages_urgent`, `messages_words`, `messages_how`; the
buttons `messages_send`, `messages_resolve`, `messages_cancel_loop`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import streamlit as st

from assent.contract.loops import LoopEnd, OpenLoop
from assent.contract.message_threads import MessageThread
from assent.contract.messages import Message, MessageType
from assent_dashboard.sessions import Session
from assent_dashboard.views import words
from assent_dashboard.views.kept import forget
from assent_dashboard.views.messages import told
from assent_dashboard.views.messages.writing import (
    LONGEST_BODY,
    LONGEST_END,
    LONGEST_SUBJECT,
    Writing,
    reply_subject,
    sender_name,
)

STATE, SAID = "assent_messages_writing", "assent_messages_said"
FIELDS = ("to", "subject", "kind", "urgent", "words", "how")
ALL_AGENTS = "All agents"


def begin(about: Message | OpenLoop | MessageThread | None) -> None:
    """Open the dialog; for callbacks."""
    end()
    st.session_state[STATE] = Writing(about)


def end() -> None:
    st.session_state.pop(STATE, None)
    for name in FIELDS:
        st.session_state.pop(f"messages_{name}", None)


def present() -> Writing | None:
    found = st.session_state.get(STATE)
    return found if isinstance(found, Writing) else None


def open_dialog(writing: Writing, session: Session, agents: Sequence[str]) -> None:
    match writing.about:
        case OpenLoop():
            _close_loop(writing, session)
        case MessageThread():
            _resolve(writing, session)
        case _:
            _write(writing, session, agents)


@st.dialog("Write to agents", width="medium", on_dismiss=end)
def _write(writing: Writing, session: Session, agents: Sequence[str]) -> None:
    own = session.key.agent_id
    name = own or sender_name(session.name)
    answered = writing.about if isinstance(writing.about, Message) else None
    to: str | None = None
    if answered is not None:
        st.markdown(f"Answer to {words.code(answered.from_agent_id)}: {words.plain(told.subject(answered))}")
    else:
        to = st.selectbox("To", [ALL_AGENTS, *agents], key="messages_to", accept_new_options=True, on_change="ignore")
    subject = st.text_input(
        "Subject (optional)",
        value=reply_subject(answered) if answered is not None else "",
        max_chars=LONGEST_SUBJECT,
        key="messages_subject",
        on_change="ignore",
    )
    with st.container(horizontal=True, vertical_alignment="bottom"):
        kind = st.selectbox(
            "Type", [str(each) for each in MessageType], index=1, key="messages_kind", width=160, on_change="ignore"
        )
        urgent = st.checkbox("Urgent", key="messages_urgent", on_change="ignore")
    body = st.text_area("Message", max_chars=LONGEST_BODY, height=160, key="messages_words", on_change="ignore")
    st.caption(f"It is sent as {words.code(name)}, and recorded. Plain text; agents read it with their inbox.")

    def send() -> None:
        chosen = None if to in (None, ALL_AGENTS) else str(to)
        sender = None if own else name
        writing.send(
            session.client,
            sender,
            body or "",
            to=chosen,
            subject=subject or "",
            kind=MessageType(kind),
            urgent=urgent,
        )

    _finish(writing, "Send", "messages_send", ":material/send:", send)
    _tell(writing)


@st.dialog("Close an open loop", width="medium", on_dismiss=end)
def _close_loop(writing: Writing, session: Session) -> None:
    loop = writing.about
    assert isinstance(loop, OpenLoop)
    st.markdown(told.loop_badges(loop))
    st.text(told.lines(loop.description))
    how = st.text_area(
        "How was it resolved?",
        max_chars=LONGEST_END,
        height=120,
        key="messages_how",
        placeholder="Needed to resolve it; to cancel it you may say why",
        on_change="ignore",
    )
    with st.container(horizontal=True):
        _finish(
            writing,
            "Resolve",
            "messages_resolve",
            ":material/check:",
            lambda: writing.close(session.client, LoopEnd.RESOLVED, how or ""),
        )
        _finish(
            writing,
            "Cancel the loop: nobody needs it",
            "messages_cancel_loop",
            ":material/close:",
            lambda: writing.close(session.client, LoopEnd.CANCELLED, how or ""),
            first=False,
        )
    _tell(writing)


@st.dialog("Resolve a thread", width="medium", on_dismiss=end)
def _resolve(writing: Writing, session: Session) -> None:
    thread = writing.about
    assert isinstance(thread, MessageThread)
    st.markdown(f"**{words.plain(thread.name)}** takes no more messages once it is resolved.")
    summary = st.text_area(
        "What came of it (optional)", max_chars=LONGEST_END, height=120, key="messages_how", on_change="ignore"
    )
    _finish(
        writing,
        "Resolve",
        "messages_resolve",
        ":material/check:",
        lambda: writing.resolve(session.client, summary or ""),
    )
    _tell(writing)


def _tell(writing: Writing) -> None:
    if writing.problem:
        st.warning(words.plain(writing.problem), icon=":material/warning:")


def _finish(writing: Writing, label: str, key: str, icon: str, do: Callable[[], None], *, first: bool = True) -> None:
    if st.button(label, key=key, icon=icon, type="primary" if first else "secondary"):
        do()
        if writing.done:
            st.session_state[SAID] = writing.said
            forget("messages")
            end()
            st.rerun()
