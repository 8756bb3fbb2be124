"""Model strategies: which models an agent is to use. They are kept here and read by whoever calls the models."""

from __future__ import annotations

from datetime import datetime
from typing import Any, ClassVar

from assent.contract.exchange.kinds import (
    Kind,
    KindQuery,
    Listing,
    Prose,
    Title,
    creates,
    deletes,
    gets,
    lists,
    updates,
)
from assent.contract.record import Example, Record, Request, ShortText


class CreateModelStrategy(Request, frozen=True, kw_only=True):
    """`config` holds at least `primary` with `provider` and `model`; no keys of providers belong here."""

    example: ClassVar[Example] = {"name": "frugal", "config": {"primary": {"provider": "acme", "model": "small"}}}

    name: Title
    config: dict[str, Any]
    description: Prose | None = None
    agent_id: ShortText | None = None
    metadata: dict[str, Any] | None = None


class UpdateModelStrategy(Request, frozen=True, kw_only=True):
    """What is left out stays as it is, members of `config` too."""

    example: ClassVar[Example] = {"description": "Small models first"}

    name: Title | None = None
    config: dict[str, Any] | None = None
    description: Prose | None = None
    metadata: dict[str, Any] | None = None


class ModelStrategy(CreateModelStrategy, Record, frozen=True, kw_only=True, omit_defaults=False):
    org_id: str
    strategy_id: str
    created_by: str
    created_at: datetime
    updated_at: datetime


class ModelStrategyAnswer(Record, frozen=True, kw_only=True):
    strategy: ModelStrategy
    strategy_id: str


class ModelStrategies(Listing, frozen=True, kw_only=True):
    strategies: list[ModelStrategy]


STRATEGY = Kind(
    name="model_strategy",
    prefix="mst_",
    path="/api/model-strategies",
    singular="strategy",
    plural="strategies",
    row=ModelStrategy,
    named="name",
    key=("name",),
    shared=True,
    merged=("config",),
)

CREATE_MODEL_STRATEGY = creates(STRATEGY, "create_model_strategy", CreateModelStrategy, ModelStrategyAnswer)
LIST_MODEL_STRATEGIES = lists(STRATEGY, "list_model_strategies", KindQuery, ModelStrategies)
GET_MODEL_STRATEGY = gets(STRATEGY, "get_model_strategy", ModelStrategyAnswer)
UPDATE_MODEL_STRATEGY = updates(STRATEGY, "update_model_strategy", UpdateModelStrategy, ModelStrategyAnswer)
DELETE_MODEL_STRATEGY = deletes(STRATEGY, "delete_model_strategy")
