"""Scorers: rules that judge actions which have happened, each kept as data and never as code.

The configuration of each type, with its defaults; fields are paths into what an action shows (`output_summary`,
`risk_score`, `metadata.ticket.queue`), scores lie between 0 and 1:

- `regex`: `pattern` in RE2's syntax, `flags` out of i, m and s ("i"), `field` ("output_summary"), `match_score` (1),
  `no_match_score` (0).
- `contains`: `keywords`, `mode` any or all ("any"), `case_sensitive` (false), `field` ("output_summary"),
  `match_score` (1), `no_match_score` (0).
- `numeric_range`: `min`, `max` or both, inclusive, `field` ("risk_score"), `in_range_score` (1),
  `out_of_range_score` (0).
- `expression`: `rules`, a list of `{"when": TREE, "score": 1, "label": ...}` of which the first that holds counts, or
  one such rule, or the list by itself; `default_score` (0; null gives none) and `default_label`.

An action that lacks the field gets no score; a run counts it as skipped.
"""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Annotated, Any, ClassVar

from msgspec import Meta

from assent.contract.endpoint import Endpoint
from assent.contract.problems import Code
from assent.contract.record import Example, Name, OrganizationId, Record, RecordedAt, Request, meaning
from assent.contract.roles import ADMIN, ANYONE

Description = Annotated[str, Meta(max_length=2000)]
TypeName = Annotated[str, Meta(max_length=40)]
SPELLED = {"type": "scorer_type"}


class ScorerType(StrEnum):
    """What a scorer looks at; the module says how each is configured."""

    REGEX = "regex"
    CONTAINS = "contains"
    NUMERIC_RANGE = "numeric_range"
    EXPRESSION = "expression"


class CreateScorer(Request, frozen=True, kw_only=True):
    """`config` is an object, or its JSON text; for an expression it may be the list of its rules."""

    example: ClassVar[Example] = {"name": "cheap", "scorer_type": "numeric_range"}

    name: Name
    scorer_type: TypeName
    config: Any = None
    description: Description | None = None


class ScorerChange(Request, frozen=True, kw_only=True):
    """Members to change; the others stay. Another type needs its own `config`. Scores already given stay as they
    are."""

    example: ClassVar[Example] = {"description": "What an action may cost"}

    name: Name | None = None
    scorer_type: TypeName | None = None
    config: Any = None
    description: Description | None = None


class Scorer(Record, frozen=True, kw_only=True):
    """`config` is complete: every default is filled in."""

    id: Annotated[str, meaning("id of the scorer", frozen=True)]
    org_id: OrganizationId
    name: Annotated[str, meaning("what people call it")]
    scorer_type: Annotated[ScorerType, meaning("regex, contains, numeric_range or expression")]
    config: Annotated[dict[str, Any], meaning("how it judges, defaults filled in")]
    description: Annotated[str | None, meaning("what it is for")]
    created_at: RecordedAt
    created_by: Annotated[str, meaning("id of the key that made it")]
    updated_at: Annotated[datetime, meaning("when it was last changed")]
    updated_by: Annotated[str, meaning("id of the key that changed it last")]
    deleted_at: Annotated[datetime | None, meaning("when it was removed")]


class Scorers(Record, frozen=True, kw_only=True):
    """The newest first. `llm_available` is always false: the service asks no model."""

    scorers: list[Scorer]
    llm_available: bool


class DeletedScorer(Record, frozen=True, kw_only=True):
    deleted: bool
    id: str


CREATE_SCORER = Endpoint(
    operation="create_scorer",
    method="POST",
    path="/api/evaluations/scorers",
    summary="Define a scorer; its configuration is checked whole.",
    roles=ADMIN,
    request=CreateScorer,
    response=Scorer,
    statuses=(201,),
    problems=(Code.INVALID_SCORER, Code.SCORER_EXISTS, Code.PROJECTION_BEHIND),
    spelled=SPELLED,
    refuses_secrets=True,
)
GET_SCORERS = Endpoint(
    operation="get_scorers",
    method="GET",
    path="/api/evaluations/scorers",
    summary="The organization's scorers.",
    roles=ANYONE,
    response=Scorers,
)
GET_SCORER = Endpoint(
    operation="get_scorer",
    method="GET",
    path="/api/evaluations/scorers/{scorer_id}",
    summary="One scorer with its configuration.",
    roles=ANYONE,
    response=Scorer,
    problems=(Code.SCORER_NOT_FOUND,),
)
UPDATE_SCORER = Endpoint(
    operation="update_scorer",
    method="PATCH",
    path="/api/evaluations/scorers/{scorer_id}",
    summary="Change a scorer; scores that it gave stay.",
    roles=ADMIN,
    request=ScorerChange,
    response=Scorer,
    problems=(Code.INVALID_SCORER, Code.SCORER_NOT_FOUND, Code.SCORER_EXISTS, Code.PROJECTION_BEHIND),
    spelled=SPELLED,
    refuses_secrets=True,
)
DELETE_SCORER = Endpoint(
    operation="delete_scorer",
    method="DELETE",
    path="/api/evaluations/scorers/{scorer_id}",
    summary="Remove a scorer; scores that it gave stay.",
    roles=ADMIN,
    response=DeletedScorer,
    problems=(Code.SCORER_NOT_FOUND, Code.PROJECTION_BEHIND),
)
