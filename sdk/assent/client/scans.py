"""The scans for prompt injections and for secrets, and texts that are allowed whatever is found."""

from __future__ import annotations

from assent.client.method import Response, sends
from assent.client.operation import Caller, each
from assent.contract.control.injection import (
    ALLOW_TEXT,
    GET_ALLOWED_TEXTS,
    GET_INJECTION_SCANS,
    REMOVE_ALLOWED_TEXT,
    SCAN_PROMPT_INJECTION,
    RecordedScan,
    ScanRecommendation,
    SubjectKind,
)
from assent.contract.control.secrets import SCAN_CONTENT


class ScanOperations(Caller):
    @sends(SCAN_PROMPT_INJECTION, own=("agent_id",), unless_default=("store",))
    def scan_prompt_injection(
        self, text: str, source: str | None = None, *, agent_id: str | None = None, store: bool = True
    ) -> Response:
        """Whether a text of 1 to 1,000,000 characters holds instructions that an attacker put there, before an agent
        reads it. `recommendation` is allow, warn or block.

        `source` says where it came from, user_input without it; the same words weigh more in what a tool, a document
        or a page brought (tool_output, document, web_page) and less in a system_prompt. What is found is recorded,
        without the text, unless `store` is false. Nothing is raised for a text that should be blocked.
        """

    @sends(GET_INJECTION_SCANS, unless_default=("offset",))
    def get_injection_scans(
        self,
        *,
        agent_id: str | None = None,
        subject_kind: SubjectKind | str | None = None,
        subject_id: str | None = None,
        action_id: str | None = None,
        recommendation: ScanRecommendation | str | None = None,
        days: int | None = None,
        limit: int = 50,
        offset: int = 0,
        cursor: str | None = None,
    ) -> Response:
        """Texts in which something was found, newest first: in guard decisions, messages, handoffs and assumptions, and
        in texts that were scanned by themselves. `limit` is 1 to 200, `days` counts back from now; for the next page
        pass `next_cursor` of the page before as `cursor`.
        """

    iterate_injection_scans = each(get_injection_scans, RecordedScan, lambda page: page.scans)

    @sends(ALLOW_TEXT)
    def allow_text(self, text: str | None = None, *, text_digest: str | None = None, reason: str) -> Response:
        """Allow one text, letter by letter, whatever the scan finds in it; its digest is kept, the text is not. Give
        the text, or the `text_digest` that a scan answered with. Allowing it again changes nothing. Needs an operator's
        key.
        """

    @sends(GET_ALLOWED_TEXTS)
    def get_allowed_texts(self) -> Response:
        """The texts that are allowed, by digest, newest first. Not for an agent's key."""

    @sends(REMOVE_ALLOWED_TEXT)
    def remove_allowed_text(self, text_digest: str) -> Response:
        """Have a text scanned like any other again. `allowed_text` in the answer is None when it was not on the list.
        Needs an operator's key.
        """

    @sends(SCAN_CONTENT, own=("agent_id",), unless_default=("store",))
    def scan_content(
        self, text: str, destination: str | None = None, *, agent_id: str | None = None, store: bool = False
    ) -> Response:
        """Which secrets a text of 1 to 1,000,000 characters holds, and `redacted_text`, the text without them.

        `destination` says where it is to go. Nothing is recorded unless `store` is true; then, where something was
        found, its kinds and places are, and never the text. `assent.secrets.find_secrets` is the same without a
        service.
        """

    @sends(SCAN_CONTENT, own=("agent_id",), fixed={"store": True})
    def report_security_finding(
        self, text: str, destination: str | None = None, *, agent_id: str | None = None
    ) -> Response:
        """The same, recorded for the audit trail (`secrets.found` in `get_activity_logs`) where something was found."""
