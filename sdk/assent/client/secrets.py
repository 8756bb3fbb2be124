"""The scan for secrets, before a text goes where it should hold none."""

from __future__ import annotations

from assent.client.flow import Flow, send
from assent.client.operation import Caller, operation
from assent.contract.secrets import SCAN_CONTENT, ContentScan, ScanContent


class SecretOperations(Caller):
    @operation
    def scan_content(
        self, text: str, destination: str | None = None, *, agent_id: str | None = None, store: bool = False
    ) -> Flow[ContentScan]:
        """Which secrets a text of 1 to 1,000,000 characters holds, and `redacted_text`, the text without them.

        `destination` says where it is to go. Nothing is recorded unless `store` is true; then, where something was
        found, its kinds and places are, and never the text. `assent.secrets.find_secrets` is the same without a
        service.
        """
        return (yield from scanning(text, destination, agent_id or self.agent_id, store=store))

    @operation
    def report_security_finding(
        self, text: str, destination: str | None = None, *, agent_id: str | None = None
    ) -> Flow[ContentScan]:
        """The same, recorded for the audit trail (`secrets.found` in `get_activity_logs`) where something was found."""
        return (yield from scanning(text, destination, agent_id or self.agent_id, store=True))


def scanning(text: str, destination: str | None, agent_id: str | None, *, store: bool) -> Flow[ContentScan]:
    body = ScanContent(text=text, destination=destination, agent_id=agent_id, store=store)
    return (yield from send(SCAN_CONTENT, body=body))
