"""The scan for prompt injections in the process: the service's own, every text read within the call that brings it."""

from __future__ import annotations

from assent.contract.control.injection import SubjectKind
from assent_service.control.guard import GuardQuestion
from assent_service.control.guard.screening import join, scanned_texts
from assent_service.control.guard.verdict import Verdict
from assent_service.control.injection.allowed import AllowedState
from assent_service.control.injection.findings import Subject
from assent_service.control.injection.scanner import Scanner, engine
from assent_service.control.injection.screen import Mode, Screen


class _AtOnce(Scanner):
    def reads_at_once(self, size: int) -> bool:
        return True


class InjectionScan:
    """Blocks as a service does whose setting `prompt_injection_scan` is `block`. Nothing is allowed beforehand. Raises
    ModuleNotFoundError without the scan's libraries."""

    def __init__(self) -> None:
        engine()
        self._screen = Screen(_AtOnce("assent-testing-scan"), AllowedState(), Mode.BLOCK)

    def joined(self, verdict: Verdict, asked: GuardQuestion, decision_id: str) -> Verdict:
        """The verdict of the policies and of the scan."""
        subject = Subject(asked.principal, SubjectKind.GUARD_DECISION, decision_id, asked.agent_id, asked.now)
        noticed = self._screen.look_at_once(subject, scanned_texts(asked.facts))
        assert noticed is not None, "what reads at once has an answer"
        return join(verdict, noticed, Mode.BLOCK)

    def holds_orders(self, org_id: str, source: str, said: list[tuple[str, object]]) -> bool:
        """Whether somebody gives orders in what a source said."""
        found = self._screen.holds_orders_at_once(org_id, source, said)
        assert found is not None, "what reads at once has an answer"
        return found
