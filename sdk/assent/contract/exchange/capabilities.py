"""Capabilities, and the agents outside that have them: described here, called by whoever may."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, ClassVar

from msgspec import Meta

from assent.contract.exchange.kinds import (
    Kind,
    KindQuery,
    Listing,
    Prose,
    Title,
    Word,
    Words,
    creates,
    gets,
    lists,
    updates,
)
from assent.contract.record import Example, Id, Record, Request, ShortText

Address = Annotated[str, Meta(max_length=2000)]


class CreateCapability(Request, frozen=True, kw_only=True):
    """No secrets belong here: every key of the organization reads it."""

    example: ClassVar[Example] = {"name": "clean up"}

    name: Title
    description: Prose | None = None
    category: Word | None = None
    risk_level: Word | None = None
    status: Word = "active"
    endpoint: Address | None = None
    input_schema: dict[str, Any] | None = None
    output_schema: dict[str, Any] | None = None
    tags: Words | None = None
    agent_id: ShortText | None = None
    metadata: dict[str, Any] | None = None


class UpdateCapability(Request, frozen=True, kw_only=True):
    """What is left out stays as it is."""

    example: ClassVar[Example] = {"risk_level": "low"}

    name: Title | None = None
    description: Prose | None = None
    category: Word | None = None
    risk_level: Word | None = None
    status: Word | None = None
    endpoint: Address | None = None
    input_schema: dict[str, Any] | None = None
    output_schema: dict[str, Any] | None = None
    tags: Words | None = None
    metadata: dict[str, Any] | None = None


class Capability(CreateCapability, Record, frozen=True, kw_only=True, omit_defaults=False):
    org_id: str
    capability_id: str
    created_by: str
    created_at: datetime
    updated_at: datetime


class CapabilityAnswer(Record, frozen=True, kw_only=True):
    capability: Capability
    capability_id: str


class Capabilities(Listing, frozen=True, kw_only=True):
    capabilities: list[Capability]


class CapabilitiesQuery(KindQuery, frozen=True, kw_only=True):
    """`search` looks into name, description and category, whatever the case."""

    category: Word | None = None
    risk_level: Word | None = None
    status: Word | None = None
    search: Annotated[str, Meta(max_length=200)] | None = None


class RegisterAgent(Request, frozen=True, kw_only=True):
    """An agent outside to whom work may be given; `agent_id` is who registers it."""

    example: ClassVar[Example] = {"name": "janitor"}

    name: Title
    description: Prose | None = None
    provider: Word | None = None
    endpoint: Address | None = None
    status: Word = "active"
    tags: Words | None = None
    agent_id: ShortText | None = None
    metadata: dict[str, Any] | None = None


class UpdateRegisteredAgent(Request, frozen=True, kw_only=True):
    """What is left out stays as it is."""

    example: ClassVar[Example] = {"tags": ["night"]}

    name: Title | None = None
    description: Prose | None = None
    provider: Word | None = None
    endpoint: Address | None = None
    status: Word | None = None
    tags: Words | None = None
    metadata: dict[str, Any] | None = None


class RegisteredAgent(RegisterAgent, Record, frozen=True, kw_only=True, omit_defaults=False):
    org_id: str
    registered_agent_id: str
    created_by: str
    created_at: datetime
    updated_at: datetime


class RegisteredAgentAnswer(Record, frozen=True, kw_only=True):
    registered_agent: RegisteredAgent
    registered_agent_id: str


class RegisteredAgents(Listing, frozen=True, kw_only=True):
    registered_agents: list[RegisteredAgent]


class RegistryQuery(KindQuery, frozen=True, kw_only=True):
    status: Word | None = None


class AddAgentCapability(Request, frozen=True, kw_only=True):
    example: ClassVar[Example] = {"capability_id": "cap_1"}

    capability_id: Id
    agent_id: ShortText | None = None


class AgentCapability(AddAgentCapability, Record, frozen=True, kw_only=True, omit_defaults=False):
    """That a registered agent has a capability."""

    org_id: str
    link_id: str
    registered_agent_id: str
    created_by: str
    created_at: datetime
    updated_at: datetime


class AgentCapabilityAnswer(Record, frozen=True, kw_only=True):
    link: AgentCapability
    link_id: str


class AgentCapabilities(Listing, frozen=True, kw_only=True):
    capabilities: list[AgentCapability]


CAPABILITY = Kind(
    name="capability",
    prefix="cap_",
    path="/api/capabilities",
    singular="capability",
    plural="capabilities",
    row=Capability,
    named="name",
    key=("name",),
    shared=True,
    searched=("name", "description", "category"),
)
REGISTERED_AGENT = Kind(
    name="registered_agent",
    prefix="rag_",
    path="/api/agents/registry",
    singular="registered_agent",
    plural="registered_agents",
    row=RegisteredAgent,
    named="name",
    key=("name",),
    shared=True,
)
AGENT_CAPABILITY = Kind(
    name="agent_capability",
    prefix="acap_",
    path="/api/agents/registry/{registered_agent_id}/capabilities",
    singular="link",
    plural="capabilities",
    row=AgentCapability,
    key=("capability_id",),
    upserts=True,
    shared=True,
    within=REGISTERED_AGENT,
    refers={"capability_id": "capability"},
)

CREATE_CAPABILITY = creates(CAPABILITY, "create_capability", CreateCapability, CapabilityAnswer)
LIST_CAPABILITIES = lists(CAPABILITY, "list_capabilities", CapabilitiesQuery, Capabilities)
GET_CAPABILITY = gets(CAPABILITY, "get_capability", CapabilityAnswer)
UPDATE_CAPABILITY = updates(CAPABILITY, "update_capability", UpdateCapability, CapabilityAnswer)
REGISTER_AGENT = creates(REGISTERED_AGENT, "register_agent", RegisterAgent, RegisteredAgentAnswer)
LIST_REGISTERED_AGENTS = lists(REGISTERED_AGENT, "list_registered_agents", RegistryQuery, RegisteredAgents)
GET_REGISTERED_AGENT = gets(REGISTERED_AGENT, "get_registered_agent", RegisteredAgentAnswer)
UPDATE_REGISTERED_AGENT = updates(
    REGISTERED_AGENT, "update_registered_agent", UpdateRegisteredAgent, RegisteredAgentAnswer
)
ADD_AGENT_CAPABILITY = creates(AGENT_CAPABILITY, "add_agent_capability", AddAgentCapability, AgentCapabilityAnswer)
LIST_AGENT_CAPABILITIES = lists(AGENT_CAPABILITY, "list_agent_capabilities", KindQuery, AgentCapabilities)
