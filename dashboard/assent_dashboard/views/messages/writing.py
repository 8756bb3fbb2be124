"""What an operator writes: a message, a reply, how a loop was resolved, what came of a thread. Knows no Streamlit.

It is sent once. When its answer is lost nothing says whether it arrived, and the page says so and sends nothing again
by itself.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from assent import Client
from assent.contract.loops import LoopEnd, OpenLoop
from assent.contract.message_threads import MessageThread
from assent.contract.messages import Mark, Message, MessageType
from assent.errors import ApiError, AssentError, ConnectionFailed
from assent_dashboard.views import words

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
