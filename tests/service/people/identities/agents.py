"""Agents with a key of their own, beside a service in process."""

from __future__ import annotations

import json
from typing import Any

import msgspec

from assent.contract.control.actions import Action, CreateAction
from assent.contract.people.identities import Algorithm, Identity, RegisterIdentity
from assent.contract.people.pairings import CreatePairing, Pairing
from assent.proof.private_key import Signer, new_private_key
from assent_service.core.principal import Principal
from tests.service.control.actions.world import World


class Agent:
    """One agent; what it creates is signed with its key unless told otherwise."""

    def __init__(self, world: World, agent_id: str = "bot", algorithm: Algorithm = Algorithm.ED25519) -> None:
        self.world, self.agent_id, self.algorithm = world, agent_id, algorithm
        self.signer = Signer(new_private_key(algorithm))

    @property
    def pem(self) -> str:
        return self.signer.public_pem

    async def registered(self, by: Principal | None = None) -> Identity:
        said = RegisterIdentity(agent_id=self.agent_id, public_key=self.pem, algorithm=self.algorithm)
        return await self.world.service.identities.register(by or self.world.admin, said)

    def body(self, **members: Any) -> dict[str, Any]:
        plain = {"action_type": "refund", "agent_id": self.agent_id, **members}
        return {**plain, "_signature": self.signer.sign(plain)}

    async def create(self, by: Principal | None = None, **members: Any) -> Action:
        return await self.send(self.body(**members), by)

    async def send(self, body: dict[str, Any], by: Principal | None = None, key: str | None = None) -> Action:
        """A creation with this body, whoever signed it."""
        raw = json.dumps(body).encode()
        said = msgspec.convert(body, CreateAction)
        created = await self.world.service.actions.create(by or self.world.admin, said, body, key, raw)
        return created.action

    async def asks(self, by: Principal | None = None, **members: Any) -> Pairing:
        said = CreatePairing(public_key=self.pem, algorithm=self.algorithm, agent_id=self.agent_id, **members)
        return await self.world.service.pairings.create(by or self.world.admin, said)
