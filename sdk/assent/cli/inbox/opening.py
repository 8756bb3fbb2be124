"""Opening the inbox: what has to be there first, and how it ends."""

from __future__ import annotations

from assent.cli.inbox.feed import follow_stream
from assent.cli.inbox.office import Office
from assent.cli.session import Session
from assent.cli.size import follow_the_terminal
from assent.contract.roles import OPERATING


def open_inbox(session: Session) -> None:
    """Until it is left. The first list is read before the screen opens: a service that is not there and a key that is
    refused are said as everywhere else. Raises MissingExtra without Textual."""
    from assent.errors import MissingExtra

    try:
        from assent.cli.inbox.screen import Inbox
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != "textual":
            raise
        raise MissingExtra(what="the inbox of `assent approvals`", extra="cli") from error
    key = session.client.get_own_key()
    office = Office(session.client)
    may = None if key.role in OPERATING else f"This key is of role {key.role}: it may look, and not decide."
    inbox = Inbox(office, office.listing(), follow_stream(session.connection), session.replay, may)
    follow_the_terminal()
    inbox.run()
    if inbox.return_code:
        raise SystemExit(inbox.return_code)  # Textual itself ends with 0, even after a defect
