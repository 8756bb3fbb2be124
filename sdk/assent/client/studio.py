"""Sessions, workflow templates, model strategies, knowledge, capabilities and registered agents."""

from __future__ import annotations

from typing import Any

from assent.client.flow import Flow, send
from assent.client.kept import changing, keeping, listing
from assent.client.operation import Caller, operation
from assent.contract.capabilities import (
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
    AgentCapabilities,
    AgentCapabilityAnswer,
    Capabilities,
    CapabilityAnswer,
    RegisteredAgentAnswer,
    RegisteredAgents,
)
from assent.contract.kinds import Deleted
from assent.contract.knowledge import (
    ADD_KNOWLEDGE_COLLECTION_ITEM,
    CREATE_KNOWLEDGE_COLLECTION,
    GET_KNOWLEDGE_COLLECTION,
    LIST_KNOWLEDGE_COLLECTION_ITEMS,
    LIST_KNOWLEDGE_COLLECTIONS,
    SEARCH_KNOWLEDGE_COLLECTION,
    SYNC_KNOWLEDGE_COLLECTION,
    UPDATE_KNOWLEDGE_COLLECTION,
    KnowledgeCollectionAnswer,
    KnowledgeCollections,
    KnowledgeItemAnswer,
    KnowledgeItems,
    KnowledgeMatches,
    SearchKnowledge,
    SyncedKnowledge,
    SyncKnowledgeCollection,
)
from assent.contract.sessions import (
    CREATE_SESSION,
    GET_SESSION,
    GET_SESSION_EVENTS,
    LIST_SESSIONS,
    UPDATE_SESSION,
    SessionAnswer,
    SessionEvents,
    Sessions,
)
from assent.contract.strategies import (
    CREATE_MODEL_STRATEGY,
    DELETE_MODEL_STRATEGY,
    GET_MODEL_STRATEGY,
    LIST_MODEL_STRATEGIES,
    UPDATE_MODEL_STRATEGY,
    ModelStrategies,
    ModelStrategyAnswer,
)
from assent.contract.workflows import (
    CREATE_WORKFLOW_TEMPLATE,
    DUPLICATE_WORKFLOW_TEMPLATE,
    GET_WORKFLOW_TEMPLATE,
    LAUNCH_WORKFLOW_TEMPLATE,
    LIST_WORKFLOW_TEMPLATES,
    UPDATE_WORKFLOW_TEMPLATE,
    LaunchedWorkflow,
    WorkflowTemplateAnswer,
    WorkflowTemplates,
)


class StudioOperations(Caller):
    @operation
    def create_session(
        self, /, workspace: str | None = None, branch: str | None = None, **fields: Any
    ) -> Flow[SessionAnswer]:
        """Begin a session of the agent's work."""
        return (yield from keeping(self, CREATE_SESSION, fields, {"workspace": workspace, "branch": branch}))

    @operation
    def get_session(self, session_id: str) -> Flow[SessionAnswer]:
        """One session. Raises NotFound."""
        return (yield from send(GET_SESSION, path={"session_id": session_id}))

    @operation
    def update_session(self, /, session_id: str, **fields: Any) -> Flow[SessionAnswer]:
        """Change `status`, `green_level`, `branch_freshness`, `commits_behind`, `blocked_reason`. Raises NotFound."""
        return (yield from changing(UPDATE_SESSION, {"session_id": session_id}, fields))

    @operation
    def list_sessions(self, agent_id: str | None = None, status: str | None = None, limit: int = 50) -> Flow[Sessions]:
        """A page, newest first; `limit` is 1 to 200."""
        return (yield from listing(LIST_SESSIONS, {"agent_id": agent_id, "status": status, "limit": limit}))

    @operation
    def get_session_events(self, session_id: str) -> Flow[SessionEvents]:
        """What was recorded of the session and of the actions that name it, in order. Raises NotFound."""
        return (yield from send(GET_SESSION_EVENTS, path={"session_id": session_id}))

    @operation
    def create_workflow_template(self, /, name: str, **fields: Any) -> Flow[WorkflowTemplateAnswer]:
        """Keep a template: `steps`, `variables`, `objective`, `model_strategy_id`. A draft unless `status` is given."""
        return (yield from keeping(self, CREATE_WORKFLOW_TEMPLATE, fields, {"name": name}))

    @operation
    def list_workflow_templates(
        self, status: str | None = None, limit: int = 50, offset: int = 0
    ) -> Flow[WorkflowTemplates]:
        """A page, newest first; `limit` is 1 to 200."""
        return (yield from listing(LIST_WORKFLOW_TEMPLATES, {"status": status, "limit": limit, "offset": offset}))

    @operation
    def get_workflow_template(self, template_id: str) -> Flow[WorkflowTemplateAnswer]:
        """One template. Raises NotFound."""
        return (yield from send(GET_WORKFLOW_TEMPLATE, path={"template_id": template_id}))

    @operation
    def update_workflow_template(self, /, template_id: str, **fields: Any) -> Flow[WorkflowTemplateAnswer]:
        """Replace members; other steps make another version. Raises NotFound."""
        return (yield from changing(UPDATE_WORKFLOW_TEMPLATE, {"template_id": template_id}, fields))

    @operation
    def duplicate_workflow_template(self, /, template_id: str, **fields: Any) -> Flow[WorkflowTemplateAnswer]:
        """Copy a template as a new draft, called `name`. Raises NotFound."""
        return (yield from changing(DUPLICATE_WORKFLOW_TEMPLATE, {"template_id": template_id}, fields))

    @operation
    def launch_workflow_template(self, /, template_id: str, **fields: Any) -> Flow[LaunchedWorkflow]:
        """Create the action of a workflow, with its steps in the metadata; nothing runs there. Raises NotFound and
        GuardBlocked."""
        return (yield from keeping(self, LAUNCH_WORKFLOW_TEMPLATE, fields, None, {"template_id": template_id}))

    @operation
    def create_model_strategy(self, /, name: str, config: dict[str, Any], **fields: Any) -> Flow[ModelStrategyAnswer]:
        """Keep a strategy; `config` holds `primary` with `provider` and `model`, and no secrets."""
        return (yield from keeping(self, CREATE_MODEL_STRATEGY, fields, {"name": name, "config": config}))

    @operation
    def list_model_strategies(self, /, **filters: Any) -> Flow[ModelStrategies]:
        """A page, newest first; filters are `agent_id`, `limit`, `offset`, `cursor`."""
        return (yield from listing(LIST_MODEL_STRATEGIES, filters))

    @operation
    def get_model_strategy(self, strategy_id: str) -> Flow[ModelStrategyAnswer]:
        """One strategy. Raises NotFound."""
        return (yield from send(GET_MODEL_STRATEGY, path={"strategy_id": strategy_id}))

    @operation
    def update_model_strategy(self, /, strategy_id: str, **fields: Any) -> Flow[ModelStrategyAnswer]:
        """Replace members; those of `config` that are not named stay. Raises NotFound."""
        return (yield from changing(UPDATE_MODEL_STRATEGY, {"strategy_id": strategy_id}, fields))

    @operation
    def delete_model_strategy(self, strategy_id: str) -> Flow[Deleted]:
        """Take a strategy out of every list. Raises NotFound."""
        return (yield from send(DELETE_MODEL_STRATEGY, path={"strategy_id": strategy_id}))

    @operation
    def list_knowledge_collections(
        self, source_type: str | None = None, limit: int = 50, offset: int = 0
    ) -> Flow[KnowledgeCollections]:
        """A page, newest first; `limit` is 1 to 200."""
        return (
            yield from listing(
                LIST_KNOWLEDGE_COLLECTIONS, {"source_type": source_type, "limit": limit, "offset": offset}
            )
        )

    @operation
    def create_knowledge_collection(self, /, name: str, **fields: Any) -> Flow[KnowledgeCollectionAnswer]:
        """Keep a collection: `description`, `source_type`, `tags`."""
        return (yield from keeping(self, CREATE_KNOWLEDGE_COLLECTION, fields, {"name": name}))

    @operation
    def get_knowledge_collection(self, collection_id: str) -> Flow[KnowledgeCollectionAnswer]:
        """One collection. Raises NotFound."""
        return (yield from send(GET_KNOWLEDGE_COLLECTION, path={"collection_id": collection_id}))

    @operation
    def update_knowledge_collection(self, /, collection_id: str, **fields: Any) -> Flow[KnowledgeCollectionAnswer]:
        """Replace members. Raises NotFound."""
        return (yield from changing(UPDATE_KNOWLEDGE_COLLECTION, {"collection_id": collection_id}, fields))

    @operation
    def list_knowledge_collection_items(
        self, collection_id: str, limit: int = 100, offset: int = 0
    ) -> Flow[KnowledgeItems]:
        """A page, newest first; `limit` is 1 to 200. Raises NotFound."""
        return (
            yield from listing(
                LIST_KNOWLEDGE_COLLECTION_ITEMS, {"limit": limit, "offset": offset}, {"collection_id": collection_id}
            )
        )

    @operation
    def add_knowledge_collection_item(
        self, /, collection_id: str, source_uri: str, **fields: Any
    ) -> Flow[KnowledgeItemAnswer]:
        """Add an item, or replace the one from the same `source_uri`, which is never fetched: `title` and `content` are
        what a search looks into. Raises NotFound."""
        return (
            yield from keeping(
                self,
                ADD_KNOWLEDGE_COLLECTION_ITEM,
                fields,
                {"source_uri": source_uri},
                {"collection_id": collection_id},
            )
        )

    @operation
    def list_capabilities(
        self,
        category: str | None = None,
        risk_level: str | None = None,
        search: str | None = None,
        limit: int = 100,
        offset: int = 0,
    ) -> Flow[Capabilities]:
        """A page, newest first; `limit` is 1 to 200."""
        return (
            yield from listing(
                LIST_CAPABILITIES,
                {"category": category, "risk_level": risk_level, "search": search, "limit": limit, "offset": offset},
            )
        )

    @operation
    def create_capability(self, /, name: str, **fields: Any) -> Flow[CapabilityAnswer]:
        """Describe a capability: `category`, `risk_level`, `input_schema`, `endpoint`; no secrets."""
        return (yield from keeping(self, CREATE_CAPABILITY, fields, {"name": name}))

    @operation
    def get_capability(self, capability_id: str) -> Flow[CapabilityAnswer]:
        """One capability. Raises NotFound."""
        return (yield from send(GET_CAPABILITY, path={"capability_id": capability_id}))

    @operation
    def update_capability(self, /, capability_id: str, **fields: Any) -> Flow[CapabilityAnswer]:
        """Replace members. Raises NotFound."""
        return (yield from changing(UPDATE_CAPABILITY, {"capability_id": capability_id}, fields))

    @operation
    def register_agent(self, /, name: str, **fields: Any) -> Flow[RegisteredAgentAnswer]:
        """Register an agent outside: `provider`, `endpoint`, `description`."""
        return (yield from keeping(self, REGISTER_AGENT, fields, {"name": name}))

    @operation
    def list_registered_agents(self, status: str | None = None) -> Flow[RegisteredAgents]:
        """A page, newest first; of one status, where it is given."""
        return (yield from listing(LIST_REGISTERED_AGENTS, {"status": status}))

    @operation
    def get_registered_agent(self, registered_agent_id: str) -> Flow[RegisteredAgentAnswer]:
        """One registered agent. Raises NotFound."""
        return (yield from send(GET_REGISTERED_AGENT, path={"registered_agent_id": registered_agent_id}))

    @operation
    def update_registered_agent(self, /, registered_agent_id: str, **fields: Any) -> Flow[RegisteredAgentAnswer]:
        """Replace members. Raises NotFound."""
        return (yield from changing(UPDATE_REGISTERED_AGENT, {"registered_agent_id": registered_agent_id}, fields))

    @operation
    def list_agent_capabilities(self, /, registered_agent_id: str, **filters: Any) -> Flow[AgentCapabilities]:
        """Which capabilities a registered agent has, newest first. Raises NotFound."""
        return (yield from listing(LIST_AGENT_CAPABILITIES, filters, {"registered_agent_id": registered_agent_id}))

    @operation
    def add_agent_capability(self, registered_agent_id: str, capability_id: str) -> Flow[AgentCapabilityAnswer]:
        """Say that a registered agent has a capability. Raises NotFound when either is unknown."""
        path = {"registered_agent_id": registered_agent_id}
        return (yield from keeping(self, ADD_AGENT_CAPABILITY, {}, {"capability_id": capability_id}, path))

    @operation
    def sync_knowledge_collection(self, collection_id: str) -> Flow[SyncedKnowledge]:
        """Mark the pending items as taken in; nothing is fetched. Raises NotFound."""
        path = {"collection_id": collection_id}
        return (yield from send(SYNC_KNOWLEDGE_COLLECTION, path=path, body=SyncKnowledgeCollection()))

    @operation
    def search_knowledge_collection(self, collection_id: str, query: str, limit: int = 5) -> Flow[KnowledgeMatches]:
        """Items that have the words of `query`, the most of them first; `score` is 0 to 1. Raises NotFound."""
        body = SearchKnowledge(query=query, limit=limit)
        return (yield from send(SEARCH_KNOWLEDGE_COLLECTION, path={"collection_id": collection_id}, body=body))
