"""Sessions, workflow templates, model strategies, knowledge, capabilities and registered agents."""

from __future__ import annotations

from typing import Any

from assent.client.method import Response, sends
from assent.client.operation import Caller
from assent.contract.exchange.capabilities import (
    ADD_AGENT_CAPABILITY,
    CREATE_CAPABILITY,
    GET_CAPABILITY,
    GET_REGISTERED_AGENT,
    LIST_AGENT_CAPABILITIES,
    LIST_CAPABILITIES,
    LIST_REGISTERED_AGENTS,
    REGISTER_AGENT,
    UPDATE_CAPABILITY,
    UPDATE_REGISTERED_AGENT,
)
from assent.contract.exchange.knowledge import (
    ADD_KNOWLEDGE_COLLECTION_ITEM,
    CREATE_KNOWLEDGE_COLLECTION,
    GET_KNOWLEDGE_COLLECTION,
    LIST_KNOWLEDGE_COLLECTION_ITEMS,
    LIST_KNOWLEDGE_COLLECTIONS,
    SEARCH_KNOWLEDGE_COLLECTION,
    SYNC_KNOWLEDGE_COLLECTION,
    UPDATE_KNOWLEDGE_COLLECTION,
)
from assent.contract.exchange.sessions import (
    CREATE_SESSION,
    GET_SESSION,
    GET_SESSION_EVENTS,
    LIST_SESSIONS,
    UPDATE_SESSION,
)
from assent.contract.exchange.strategies import (
    CREATE_MODEL_STRATEGY,
    DELETE_MODEL_STRATEGY,
    GET_MODEL_STRATEGY,
    LIST_MODEL_STRATEGIES,
    UPDATE_MODEL_STRATEGY,
)
from assent.contract.exchange.workflows import (
    CREATE_WORKFLOW_TEMPLATE,
    DUPLICATE_WORKFLOW_TEMPLATE,
    GET_WORKFLOW_TEMPLATE,
    LAUNCH_WORKFLOW_TEMPLATE,
    LIST_WORKFLOW_TEMPLATES,
    UPDATE_WORKFLOW_TEMPLATE,
)


class StudioOperations(Caller):
    @sends(CREATE_SESSION, own=("agent_id",))
    def create_session(self, /, workspace: str | None = None, branch: str | None = None, **fields: Any) -> Response:
        """Begin a session of the agent's work."""

    @sends(GET_SESSION)
    def get_session(self, session_id: str) -> Response:
        """One session. Raises NotFound."""

    @sends(UPDATE_SESSION)
    def update_session(self, /, session_id: str, **fields: Any) -> Response:
        """Change `status`, `green_level`, `branch_freshness`, `commits_behind`, `blocked_reason`. Raises NotFound."""

    @sends(LIST_SESSIONS, without=("offset", "cursor"))
    def list_sessions(self, agent_id: str | None = None, status: str | None = None, limit: int = 50) -> Response:
        """A page, newest first; `limit` is 1 to 200."""

    @sends(GET_SESSION_EVENTS)
    def get_session_events(self, session_id: str) -> Response:
        """What was recorded of the session and of the actions that name it, in order. Raises NotFound."""

    @sends(CREATE_WORKFLOW_TEMPLATE, own=("agent_id",))
    def create_workflow_template(self, /, name: str, **fields: Any) -> Response:
        """Keep a template: `steps`, `variables`, `objective`, `model_strategy_id`. A draft unless `status` is given."""

    @sends(LIST_WORKFLOW_TEMPLATES, without=("agent_id", "cursor"))
    def list_workflow_templates(self, status: str | None = None, limit: int = 50, offset: int = 0) -> Response:
        """A page, newest first; `limit` is 1 to 200."""

    @sends(GET_WORKFLOW_TEMPLATE)
    def get_workflow_template(self, template_id: str) -> Response:
        """One template. Raises NotFound."""

    @sends(UPDATE_WORKFLOW_TEMPLATE)
    def update_workflow_template(self, /, template_id: str, **fields: Any) -> Response:
        """Replace members; other steps make another version. Raises NotFound."""

    @sends(DUPLICATE_WORKFLOW_TEMPLATE)
    def duplicate_workflow_template(self, /, template_id: str, **fields: Any) -> Response:
        """Copy a template as a new draft, called `name`. Raises NotFound."""

    @sends(LAUNCH_WORKFLOW_TEMPLATE, own=("agent_id",))
    def launch_workflow_template(self, /, template_id: str, **fields: Any) -> Response:
        """Create the action of a workflow, with its steps in the metadata; nothing runs there. Raises NotFound and
        GuardBlocked."""

    @sends(CREATE_MODEL_STRATEGY, own=("agent_id",))
    def create_model_strategy(self, /, name: str, config: dict[str, Any], **fields: Any) -> Response:
        """Keep a strategy; `config` holds `primary` with `provider` and `model`, and no secrets."""

    @sends(LIST_MODEL_STRATEGIES)
    def list_model_strategies(self, /, **filters: Any) -> Response:
        """A page, newest first; filters are `agent_id`, `limit`, `offset`, `cursor`."""

    @sends(GET_MODEL_STRATEGY)
    def get_model_strategy(self, strategy_id: str) -> Response:
        """One strategy. Raises NotFound."""

    @sends(UPDATE_MODEL_STRATEGY)
    def update_model_strategy(self, /, strategy_id: str, **fields: Any) -> Response:
        """Replace members; those of `config` that are not named stay. Raises NotFound."""

    @sends(DELETE_MODEL_STRATEGY, without=("id",))
    def delete_model_strategy(self, strategy_id: str) -> Response:
        """Take a strategy out of every list. Raises NotFound."""

    @sends(LIST_KNOWLEDGE_COLLECTIONS, without=("agent_id", "cursor"))
    def list_knowledge_collections(self, source_type: str | None = None, limit: int = 50, offset: int = 0) -> Response:
        """A page, newest first; `limit` is 1 to 200."""

    @sends(CREATE_KNOWLEDGE_COLLECTION, own=("agent_id",))
    def create_knowledge_collection(self, /, name: str, **fields: Any) -> Response:
        """Keep a collection: `description`, `source_type`, `tags`."""

    @sends(GET_KNOWLEDGE_COLLECTION)
    def get_knowledge_collection(self, collection_id: str) -> Response:
        """One collection. Raises NotFound."""

    @sends(UPDATE_KNOWLEDGE_COLLECTION)
    def update_knowledge_collection(self, /, collection_id: str, **fields: Any) -> Response:
        """Replace members. Raises NotFound."""

    @sends(LIST_KNOWLEDGE_COLLECTION_ITEMS, without=("agent_id", "cursor"))
    def list_knowledge_collection_items(self, collection_id: str, limit: int = 100, offset: int = 0) -> Response:
        """A page, newest first; `limit` is 1 to 200. Raises NotFound."""

    @sends(ADD_KNOWLEDGE_COLLECTION_ITEM, own=("agent_id",))
    def add_knowledge_collection_item(self, /, collection_id: str, source_uri: str, **fields: Any) -> Response:
        """Add an item, or replace the one from the same `source_uri`, which is never fetched: `title` and `content` are
        what a search looks into. Raises NotFound."""

    @sends(LIST_CAPABILITIES, without=("agent_id", "cursor", "status"))
    def list_capabilities(
        self,
        category: str | None = None,
        risk_level: str | None = None,
        search: str | None = None,
        limit: int = 100,
        offset: int = 0,
    ) -> Response:
        """A page, newest first; `limit` is 1 to 200."""

    @sends(CREATE_CAPABILITY, own=("agent_id",))
    def create_capability(self, /, name: str, **fields: Any) -> Response:
        """Describe a capability: `category`, `risk_level`, `input_schema`, `endpoint`; no secrets."""

    @sends(GET_CAPABILITY)
    def get_capability(self, capability_id: str) -> Response:
        """One capability. Raises NotFound."""

    @sends(UPDATE_CAPABILITY)
    def update_capability(self, /, capability_id: str, **fields: Any) -> Response:
        """Replace members. Raises NotFound."""

    @sends(REGISTER_AGENT, own=("agent_id",))
    def register_agent(self, /, name: str, **fields: Any) -> Response:
        """Register an agent outside: `provider`, `endpoint`, `description`."""

    @sends(LIST_REGISTERED_AGENTS, without=("agent_id", "limit", "offset", "cursor"))
    def list_registered_agents(self, status: str | None = None) -> Response:
        """A page, newest first; of one status, where it is given."""

    @sends(GET_REGISTERED_AGENT)
    def get_registered_agent(self, registered_agent_id: str) -> Response:
        """One registered agent. Raises NotFound."""

    @sends(UPDATE_REGISTERED_AGENT)
    def update_registered_agent(self, /, registered_agent_id: str, **fields: Any) -> Response:
        """Replace members. Raises NotFound."""

    @sends(LIST_AGENT_CAPABILITIES)
    def list_agent_capabilities(self, /, registered_agent_id: str, **filters: Any) -> Response:
        """Which capabilities a registered agent has, newest first. Raises NotFound."""

    @sends(ADD_AGENT_CAPABILITY, own=("agent_id",))
    def add_agent_capability(self, registered_agent_id: str, capability_id: str) -> Response:
        """Say that a registered agent has a capability. Raises NotFound when either is unknown."""

    @sends(SYNC_KNOWLEDGE_COLLECTION)
    def sync_knowledge_collection(self, collection_id: str) -> Response:
        """Mark the pending items as taken in; nothing is fetched. Raises NotFound."""

    @sends(SEARCH_KNOWLEDGE_COLLECTION, unless_default=("limit",))
    def search_knowledge_collection(self, collection_id: str, query: str, limit: int = 5) -> Response:
        """Items that have the words of `query`, the most of them first; `score` is 0 to 1. Raises NotFound."""
