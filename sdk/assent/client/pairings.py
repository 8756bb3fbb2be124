"""Pairings: asking that this agent's public key be trusted, and waiting until an admin says yes; identities: whose
signature is whose."""

from __future__ import annotations

from collections.abc import Mapping

from assent.client.events import contents
from assent.client.flow import Flow, send
from assent.client.method import Response, calls, sends
from assent.client.operation import Caller, operation
from assent.client.sse import ServerSentEvent
from assent.client.watching import Awaited, check_times, watching
from assent.contract.events import CONNECTED, RESET, EventName
from assent.contract.people.identities import (
    GET_IDENTITIES,
    GET_IDENTITY,
    REGISTER_IDENTITY,
    REVOKE_IDENTITY,
    Algorithm,
)
from assent.contract.people.pairings import (
    APPROVE_PAIRING,
    CREATE_PAIRING,
    GET_PAIRING,
    GET_PAIRINGS,
    CreatedPairing,
    CreatePairing,
    PairingState,
    PairingStatus,
)
from assent.errors import PairingExpiredError, PairingTimeoutError


class PairingOperations(Caller):
    @calls(CREATE_PAIRING, named={"public_key": "public_key_pem"})
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

    @sends(GET_PAIRING)
    def get_pairing(self, pairing_id: str) -> Response:
        """How a pairing stands: pending, approved or expired. Needs no key. Raises NotFound."""

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

    @sends(GET_PAIRINGS)
    def get_pairings(self, status: PairingState | str = PairingState.PENDING, limit: int = 50) -> Response:
        """Pairings of one status, newest first. `limit` is 1 to 200. Needs an admin's key."""

    @sends(APPROVE_PAIRING)
    def approve_pairing(self, pairing_id: str) -> Response:
        """Trust the key of a pairing: it becomes the agent's identity and replaces the one it had. Needs an admin's
        key. Raises Conflict for one that was approved already, Gone for one that has expired, NotFound.
        """

    @sends(REGISTER_IDENTITY, one_of={"algorithm": Algorithm}, unless_default=("algorithm",))
    def register_identity(self, agent_id: str, public_key: str, algorithm: Algorithm | str = Algorithm.RSA) -> Response:
        """Say which public key (an SPKI PEM) an agent signs with, without a pairing. It replaces the key that the agent
        had. Raises InvalidRequest for a key that cannot be used, ValueError for an unknown algorithm.
        """

    @sends(GET_IDENTITIES)
    def get_identities(self) -> Response:
        """The agents whose signatures are known, by agent; revoked ones have `revoked_at`."""

    @sends(GET_IDENTITY)
    def get_identity(self, agent_id: str) -> Response:
        """The public key that an agent signs with, revoked or not. Raises NotFound."""

    @sends(REVOKE_IDENTITY)
    def revoke_identity(self, agent_id: str) -> Response:
        """Stop trusting an agent's signatures; the next one is not verified any more. Raises NotFound."""


class _AwaitedPairing(Awaited[PairingStatus]):
    """The pairing, once an admin has approved it."""

    def __init__(self, pairing_id: str) -> None:
        self.about = self._pairing_id = pairing_id

    def look(self, within: float | None, until: float) -> Flow[PairingStatus | None]:
        path = {"pairing_id": self._pairing_id}
        detail = yield from send(GET_PAIRING, path=path, within=within, in_turn_until=until)
        match detail.pairing.status:
            case PairingState.APPROVED:
                return detail.pairing
            case PairingState.EXPIRED:
                raise PairingExpiredError(detail.pairing)
            case PairingState.PENDING:
                return None

    def concerns(self, message: ServerSentEvent) -> bool:
        if message.event in (CONNECTED, RESET):
            return True
        said: Mapping[str, object] = contents(message) or {}
        return message.event == EventName.PAIRING_UPDATED and said.get("pairing_id") == self._pairing_id

    def of_message(self, message: ServerSentEvent) -> Flow[PairingStatus | None]:
        """Nothing by itself: what anybody may see of a pairing is read from its state."""
        yield from ()
        return None

    def timed_out(self, timeout: float) -> PairingTimeoutError:
        return PairingTimeoutError(self._pairing_id, timeout)


def known_algorithm(algorithm: Algorithm | str) -> Algorithm:
    """Raises ValueError."""
    try:
        return Algorithm(algorithm)
    except ValueError:
        raise ValueError(f"algorithm is {algorithm!r}; give one of {', '.join(Algorithm)}") from None
