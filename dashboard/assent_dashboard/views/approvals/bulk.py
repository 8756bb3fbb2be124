"""One decision on several identical requests, each sent by itself. Knows nothing of Streamlit.

Every request gets a decision of its own, with an idempotency key of its own: each is recorded as if it had been
decided alone, and sending the whole again after an answer was lost sends only what is not known to be over, and does
nothing twice. It stops at the first one that cannot be sent, since the next would fare no better; what was not sent
still waits.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from assent import Client, Verdict
from assent.deciding import Deciding, Said, Stage, expired
from assent_dashboard.views.approvals.inbox import Item


@dataclass
class Bulk:
    """`problem` says why it stopped before the end."""

    verdict: Verdict
    decisions: tuple[Deciding[Item], ...]
    problem: str | None = None

    @classmethod
    def on(cls, items: Sequence[Item], verdict: Verdict) -> Bulk:
        return cls(verdict, tuple(Deciding(item=item, verdict=verdict) for item in items))

    def send(self, client: Client, said: Said, told: Callable[[int], object]) -> None:
        """Send what is still open. `told` hears how many are over, after each."""
        self.problem = None
        for deciding in self.open:
            deciding.send(client, said)
            if deciding.stage is Stage.OPEN:
                self.problem = deciding.problem
                return
            told(len(self.decisions) - len(self.open))

    @property
    def open(self) -> list[Deciding[Item]]:
        """Not known to be decided."""
        return [each for each in self.decisions if each.stage is Stage.OPEN]

    @property
    def held(self) -> list[Deciding[Item]]:
        """Those that this operator decided."""
        return [each for each in self.decisions if each.stage is Stage.SENT]

    @property
    def too_late(self) -> list[Deciding[Item]]:
        """Those that somebody else had decided, or that could not be decided any more for another reason."""
        return [each for each in self.decisions if each.stage is Stage.OVER and not expired(each.settled)]

    @property
    def expired(self) -> list[Deciding[Item]]:
        """Those that nobody had decided in time."""
        return [each for each in self.decisions if each.stage is Stage.OVER and expired(each.settled)]

    @property
    def begun(self) -> bool:
        """Whether anything of it is over."""
        return len(self.open) < len(self.decisions)
