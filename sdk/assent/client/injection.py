"""The scan for prompt injections, and texts that are allowed whatever it finds."""

from __future__ import annotations

from assent.client.flow import Flow, send
from assent.client.operation import Caller, operation
from assent.client.request import members
from assent.contract.injection import (
    ALLOW_TEXT,
    GET_ALLOWED_TEXTS,
    GET_INJECTION_SCANS,
    REMOVE_ALLOWED_TEXT,
    SCAN_PROMPT_INJECTION,
    AllowedTextAnswer,
    AllowedTexts,
    AllowText,
    InjectionScan,
    InjectionScans,
    InjectionScansQuery,
    ScanPromptInjection,
    ScanRecommendation,
    SubjectKind,
)


class InjectionOperations(Caller):
    @operation
    def scan_prompt_injection(
        self, text: str, source: str | None = None, *, agent_id: str | None = None, store: bool = True
    ) -> Flow[InjectionScan]:
        """Whether a text of 1 to 1,000,000 characters holds instructions that an attacker put there, before an agent
        reads it. `recommendation` is allow, warn or block.

        `source` says where it came from, user_input without it; the same words weigh more in what a tool, a document
        or a page brought (tool_output, document, web_page) and less in a system_prompt. What is found is recorded,
        without the text, unless `store` is false. Nothing is raised for a text that should be blocked.
        """
        body = ScanPromptInjection(
            text=text, source=source or "user_input", agent_id=agent_id or self.agent_id, store=store
        )
        return (yield from send(SCAN_PROMPT_INJECTION, body=body))

    @operation
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
    ) -> Flow[InjectionScans]:
        """Texts in which something was found, newest first: in guard decisions, messages, handoffs and assumptions, and
        in texts that were scanned by themselves. `limit` is 1 to 200, `days` counts back from now; for the next page
        pass `next_cursor` of the page before as `cursor`.
        """
        given = {
            "agent_id": agent_id,
            "subject_kind": subject_kind,
            "subject_id": subject_id,
            "action_id": action_id,
            "recommendation": recommendation,
            "days": days,
            "limit": limit,
            "offset": offset or None,
            "cursor": cursor,
        }
        return (yield from send(GET_INJECTION_SCANS, query=members(InjectionScansQuery, given, "get_injection_scans")))

    @operation
    def allow_text(
        self, text: str | None = None, *, text_digest: str | None = None, reason: str
    ) -> Flow[AllowedTextAnswer]:
        """Allow one text, letter by letter, whatever the scan finds in it; its digest is kept, the text is not. Give
        the text, or the `text_digest` that a scan answered with. Allowing it again changes nothing. Needs an operator's
        key.
        """
        return (yield from send(ALLOW_TEXT, body=AllowText(text=text, text_digest=text_digest, reason=reason)))

    @operation
    def get_allowed_texts(self) -> Flow[AllowedTexts]:
        """The texts that are allowed, by digest, newest first. Not for an agent's key."""
        return (yield from send(GET_ALLOWED_TEXTS))

    @operation
    def remove_allowed_text(self, text_digest: str) -> Flow[AllowedTextAnswer]:
        """Have a text scanned like any other again. `allowed_text` in the answer is None when it was not on the list.
        Needs an operator's key.
        """
        return (yield from send(REMOVE_ALLOWED_TEXT, path={"text_digest": text_digest}))
