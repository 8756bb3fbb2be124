"""Writing as an operator: the dialogs for a message, a reply, the end of a loop or a thread, and sending what was
written, once.

While a dialog is open the page below is not drawn anew by itself.

Keys: `messages_to`, `messages_subject`, `messages_kind`, `messages_urgent`, `messages_words`, `messages_how`; the
buttons `messages_send`, `messages_resolve`, `messages_cancel_loop`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import streamlit as st

from assent import Client
from assent.contract.control.loops import LoopEnd, OpenLoop
from assent.contract.exchange.message_threads import MessageThread
from assent.contract.exchange.messages import Mark, Message, MessageType
from assent.errors import ApiError, AssentError, ConnectionFailed
from assent_dashboard.sessions import Session
from assent_dashboard.views import words
from assent_dashboard.views.answers import forget
from assent_dashboard.views.messages import words as message_words

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
        st.markdown(f"Answer to {words.code(answered.from_agent_id)}: {words.plain(message_words.subject(answered))}")
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
    st.markdown(message_words.loop_badges(loop))
    st.text(message_words.lines(loop.description))
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


# What an operator writes: a message, a reply, how a loop was resolved, what came of a thread. Knows no Streamlit.
#
# It is sent once. When its answer is lost nothing says whether it arrived, and the page says so and sends nothing again
# by itself.


LONGEST_NAME, LONGEST_BODY, LONGEST_SUBJECT, LONGEST_END = 128, 2000, 200, 2000


@dataclass
class Writing:
    """`about` is what it answers or closes, None for a message of its own. `done` once it counts; `problem` says why it
    does not."""

    about: Message | OpenLoop | MessageThread | None = None
    done: bool = False
    problem: str | None = None
    said: str = field(default="", init=False)

    def send(
        self,
        client: Client,
        sender: str | None,
        body: str,
        *,
        to: str | None = None,
        subject: str = "",
        kind: MessageType = MessageType.INFO,
        urgent: bool = False,
    ) -> None:
        """A message; `sender` is None for a key that is an agent's own. A reply goes to whoever wrote, into the same
        thread and about the same action."""
        if not body.strip():
            self.problem = "Write something first."
            return
        answered = self.about if isinstance(self.about, Message) else None
        self._do(
            lambda: client.send_message(
                body.strip(),
                answered.from_agent_id if answered is not None else to,
                kind,
                from_agent_id=sender,
                subject=subject.strip() or None,
                urgent=urgent,
                thread_id=answered.thread_id if answered is not None else None,
                action_id=answered.action_id if answered is not None else None,
            ),
            "Sent.",
        )

    def close(self, client: Client, end: LoopEnd, how: str) -> None:
        """A loop: resolved, which needs to say how, or cancelled."""
        if end is LoopEnd.RESOLVED and not how.strip():
            self.problem = "Say how it was resolved. Whoever reads the ledger later has nothing else."
            return
        if isinstance(self.about, OpenLoop):
            loop_id = self.about.loop_id
            did = "Resolved." if end is LoopEnd.RESOLVED else "Cancelled."
            self._do(lambda: client.resolve_open_loop(loop_id, end, how.strip() or None), did)

    def resolve(self, client: Client, summary: str) -> None:
        """A message thread, with what came of it."""
        if isinstance(self.about, MessageThread):
            thread_id = self.about.id
            self._do(lambda: client.resolve_message_thread(thread_id, summary.strip() or None), "Resolved.")

    def _do(self, ask: Callable[[], object], said: str) -> None:
        if self.done:
            return
        self.problem = None
        try:
            ask()
        except ConnectionFailed as error:
            doubt = " It may have arrived: look at the list before you send it again." if error.uncertain else ""
            self.problem = f"The service does not answer. Your words are kept.{doubt}"
        except ApiError as error:
            self.problem = f"The service refused: {error.detail}"
        except AssentError as error:
            self.problem = str(error)
        except RuntimeError:  # the client was closed: somebody signed out in another tab
            self.problem = "Your session has ended, and nothing was sent. Copy your words, and sign in again."
        else:
            self.done, self.said = True, said


def marked(client: Client, message_ids: list[str], mark: Mark, agent_id: str) -> str:
    """Mark messages for an agent, and say what came of it."""
    did = "read" if mark is Mark.READ else "archived"
    try:
        updated = client.mark_messages(message_ids, mark, agent_id).updated
    except ConnectionFailed:
        return "The service does not answer. Marking again is safe."
    except ApiError as error:
        return f"The service refused: {error.detail}"
    except RuntimeError:  # the client was closed: somebody signed out in another tab
        return "Your session has ended. Sign in again; nothing was marked."
    if not updated:
        return f"Nothing changed: {agent_id} had it {did} already, or it did not go to {agent_id}."
    return f"{words.several(updated, 'message')} {did} for {agent_id}."


def reply_subject(message: Message) -> str:
    """`Re: Due?`, once and not twice."""
    given = words.clean(message.subject)
    if not given:
        return ""
    return given if given.lower().startswith("re:") else f"Re: {given}"[:LONGEST_SUBJECT]


def sender_name(name: str) -> str:
    """Who writes: the key's name, as far as an agent's name may be long."""
    return words.shorten(words.clean(name), LONGEST_NAME)
