"""Pairings: asking that this agent's public key be trusted, and waiting until an admin says yes."""

from __future__ import annotations

from collections.abc import Mapping

from assent.client.events import contents
from assent.client.flow import Flow, send
from assent.client.operation import Caller, operation
from assent.client.sse import Message
from assent.client.watching import Awaited, check_times, watching
from assent.contract.events import CONNECTED, RESET, EventName, StreamQuery
from assent.contract.identities import Algorithm
from assent.contract.pairings import (
    APPROVE_PAIRING,
    CREATE_PAIRING,
    GET_PAIRING,
    GET_PAIRINGS,
    ApprovedPairing,
    CreatedPairing,
    CreatePairing,
    PairingDetail,
    Pairings,
    PairingState,
    PairingStatus,
)
from assent.errors import PairingExpiredError, PairingTimeoutError


class PairingOperations(Caller):
    @operation
    def create_pairing(
        self,
        public_key_pem: str,
        algorithm: Algorithm | str = Algorithm.RSA,
        agent_name: str | None = None,
        *,
        agent_id: str | None = None,
    ) -> Flow[CreatedPairing]:
        """Ask that a public key (an SPKI PEM) be trusted for this agent, or for `agent_id`. Asking again with the same
        key answers with the pairing that waits already. An admin compares `fingerprint` and approves.

        Raises InvalidRequest for a key that cannot be used (RSA under 2048 bits, another kind than the algorithm, a
        private key), ValueError for an unknown algorithm, Conflict when too many wait.
        """
        body = CreatePairing(
            public_key=public_key_pem,
            algorithm=known_algorithm(algorithm),
            agent_id=agent_id or self.agent_id,
            agent_name=agent_name or self.agent_name,
        )
        return (yield from send(CREATE_PAIRING, body=body))

    @operation
    def get_pairing(self, pairing_id: str) -> Flow[PairingDetail]:
        """How a pairing stands: pending, approved or expired. Needs no key. Raises NotFound."""
        return (yield from send(GET_PAIRING, path={"pairing_id": pairing_id}))

    @operation
    def wait_for_pairing(
        self, pairing_id: str, *, timeout: float = 300.0, interval: float = 2.0
    ) -> Flow[PairingStatus]:
        """Wait until an admin approves, at most `timeout` seconds; the pairing once it is approved. The approval
        arrives over the event stream at once; without a stream the state is read every `interval` seconds.

        Raises PairingExpiredError, PairingTimeoutError (also a TimeoutError; the pairing then still waits), NotFound.
        """
        check_times(timeout, interval)
        return (yield from watching(_AwaitedPairing(pairing_id), timeout, interval, self.ambient))

    @operation
    def get_pairings(self, status: PairingState | str = PairingState.PENDING, limit: int = 50) -> Flow[Pairings]:
        """Pairings of one status, newest first. `limit` is 1 to 200. Needs an admin's key."""
        return (yield from send(GET_PAIRINGS, query={"status": status, "limit": limit}))

    @operation
    def approve_pairing(self, pairing_id: str) -> Flow[ApprovedPairing]:
        """Trust the key of a pairing: it becomes the agent's identity and replaces the one it had. Needs an admin's
        key. Raises Conflict for one that was approved already, Gone for one that has expired, NotFound.
        """
        return (yield from send(APPROVE_PAIRING, path={"pairing_id": pairing_id}))


class _AwaitedPairing(Awaited[PairingStatus]):
    """The pairing, once an admin has approved it."""

    query = StreamQuery(types=EventName.PAIRING_UPDATED)

    def __init__(self, pairing_id: str) -> None:
        self._pairing_id = pairing_id

    def look(self, within: float | None) -> Flow[PairingStatus | None]:
        detail = yield from send(GET_PAIRING, path={"pairing_id": self._pairing_id}, within=within)
        match detail.pairing.status:
            case PairingState.APPROVED:
                return detail.pairing
            case PairingState.EXPIRED:
                raise PairingExpiredError(detail.pairing)
            case PairingState.PENDING:
                return None

    def concerns(self, message: Message) -> bool:
        if message.event in (CONNECTED, RESET):
            return True
        said: Mapping[str, object] = contents(message) or {}
        return message.event == EventName.PAIRING_UPDATED and said.get("pairing_id") == self._pairing_id

    def told(self, message: Message) -> Flow[PairingStatus | None]:
        """Nothing by itself: what anybody may see of a pairing is read from its state."""
        yield from ()
        return None

    def given_up(self, timeout: float) -> PairingTimeoutError:
        return PairingTimeoutError(self._pairing_id, timeout)


def known_algorithm(algorithm: Algorithm | str) -> Algorithm:
    """Raises ValueError."""
    try:
        return Algorithm(algorithm)
    except ValueError:
        raise ValueError(f"algorithm is {algorithm!r}; give one of {', '.join(Algorithm)}") from None
