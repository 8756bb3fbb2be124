"""Scoring profiles and their dimensions: their tables, and what making or changing one leaves. Pure.

1. What is said is checked whole (`contract.scales`), and so is what a change leaves: a new data source needs a
   configuration and a scale that fit it.
2. A change leaves what it does not name. Null empties what can be empty.
3. Patterns in conditions are RE2's; they are compiled once, here, to be sure.
4. Whatever is kept open (metadata, configuration) can be recorded as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Annotated, Any, TypeVar

import msgspec
from msgspec import UNSET, UnsetType

from assent.contract.analysis.profile_scores import ProfileScore
from assent.contract.analysis.scales import (
    CompositeMethod,
    DataSource,
    ScaleError,
    read_config,
    read_method,
    read_scale,
    read_source,
    read_weight,
)
from assent.contract.analysis.scoring import (
    MOST_COMPARISONS,
    AddScoringDimension,
    CreateScoringProfile,
    Profile,
    ProfileStatus,
    ScoringDimension,
    ScoringDimensionChange,
    ScoringProfile,
    ScoringProfileChange,
)
from assent.contract.conditions import ConditionError, parse
from assent.contract.prepared import prepared
from assent.contract.problems import Code, FieldError
from assent.contract.record import meaning
from assent.contract.spelling import respell
from assent_analytics.backtest.conditions import leaves
from assent_service.base.clock import moment, new_id
from assent_service.base.problem import Refusal, refuse
from assent_service.control.guard import compile_condition
from assent_service.core.faithful import digest_of
from assent_service.core.principal import Principal
from assent_service.store.tables import Table

# Profiles and dimensions as they are stored, and as they are shown.


class ProfileRow(Profile, frozen=True, kw_only=True):
    deleted_at: Annotated[datetime | None, meaning("when it was removed")]


class DimensionRow(ScoringDimension, frozen=True, kw_only=True):
    deleted_at: Annotated[datetime | None, meaning("when it was removed")]


def profile_answer(profile: ProfileRow, dimensions: Sequence[DimensionRow]) -> ScoringProfile:
    members = msgspec.structs.asdict(profile)
    del members["deleted_at"]
    return ScoringProfile(**members, dimensions=[dimension_answer(each) for each in dimensions])


def dimension_answer(dimension: DimensionRow) -> ScoringDimension:
    members = msgspec.structs.asdict(dimension)
    del members["deleted_at"]
    return ScoringDimension(**members)


# Scoring profiles, their dimensions and the scores they gave as rows; what was deleted stays, since scores name it.


SCORING_PROFILES = Table.of(
    ProfileRow,
    name="scoring_profiles",
    meaning="scoring profiles as they are now, deleted ones included",
    key="id",
    created=("scoring_profile.created",),
    replaced=("scoring_profile.updated",),
)

SCORING_DIMENSIONS = Table.of(
    DimensionRow,
    name="scoring_dimensions",
    meaning="what scoring profiles measure, as it is now, deleted dimensions included",
    key="id",
    created=("scoring_dimension.created",),
    replaced=("scoring_dimension.updated",),
)

PROFILE_SCORES = Table.of(
    ProfileScore,
    name="profile_scores",
    meaning="scores that scoring profiles gave to actions, one row for each time",
    key="id",
    created=("profile_score.created",),
)


T = TypeVar("T")


def begun(said: CreateScoringProfile, principal: Principal, now: int) -> ProfileRow:
    """Raises `invalid_profile`, and `invalid_body` for metadata that has no canonical form."""
    digest_of(said.metadata or {}, "metadata")
    method = said.composite_method
    return ProfileRow(
        id=new_id("sp_", now),
        org_id=principal.org_id,
        name=said.name,
        description=said.description,
        action_type=said.action_type,
        composite_method=CompositeMethod.WEIGHTED_AVERAGE if method is None else _checked(lambda: read_method(method)),
        metadata=said.metadata or {},
        status=ProfileStatus.ACTIVE,
        created_at=moment(now),
        created_by=principal.key_id,
        updated_at=moment(now),
        updated_by=principal.key_id,
        deleted_at=None,
    )


def changed(before: ProfileRow, said: ScoringProfileChange) -> ProfileRow:
    """Raises as `begun` does."""
    members: dict[str, Any] = {
        name: value for name in ("name", "description", "action_type") if (value := getattr(said, name)) is not UNSET
    }
    if not isinstance(said.metadata, UnsetType):
        members["metadata"] = said.metadata or {}
        digest_of(members["metadata"], "metadata")
    method, status = said.composite_method, said.status
    if not isinstance(method, UnsetType):
        members["composite_method"] = _checked(lambda: read_method(method))
    if not isinstance(status, UnsetType):
        members["status"] = _checked(lambda: read_status(status))
    return msgspec.structs.replace(before, **members)


def read_status(given: str, place: str = "status") -> ProfileStatus:
    if given not in list(ProfileStatus):
        raise ScaleError(place, f"is {given!r}; give one of {', '.join(ProfileStatus)}")
    return ProfileStatus(given)


def added(
    said: AddScoringDimension, profile: ProfileRow, principal: Principal, now: int, place: str = ""
) -> DimensionRow:
    """Raises `invalid_profile`, naming the place below `place`, and `invalid_body` as `begun` does."""
    source = _checked(lambda: read_source(said.data_source), place)
    weight = said.weight
    return DimensionRow(
        id=new_id("sd_", now),
        org_id=profile.org_id,
        profile_id=profile.id,
        name=said.name,
        description=said.description,
        data_source=source,
        data_config=_config(source, said.data_config, place),
        scale=_checked(lambda: list(read_scale(source, said.scale)), place),
        weight=1.0 if weight is None else _checked(lambda: read_weight(weight), place),
        sort_order=said.sort_order or 0,
        created_at=moment(now),
        created_by=principal.key_id,
        updated_at=moment(now),
        updated_by=principal.key_id,
        deleted_at=None,
    )


def altered(before: DimensionRow, said: ScoringDimensionChange) -> DimensionRow:
    """Raises as `added` does."""
    members: dict[str, Any] = {
        name: value for name in ("name", "description", "sort_order") if (value := getattr(said, name)) is not UNSET
    }
    source, weight = before.data_source, said.weight
    if not isinstance(said.data_source, UnsetType):
        named = said.data_source
        source = members["data_source"] = _checked(lambda: read_source(named))
    if not isinstance(weight, UnsetType):
        members["weight"] = _checked(lambda: read_weight(weight))
    config: object = before.data_config if isinstance(said.data_config, UnsetType) else said.data_config
    scale: object = before.scale if isinstance(said.scale, UnsetType) else said.scale
    members["data_config"] = _config(source, config)
    members["scale"] = _checked(lambda: list(read_scale(source, scale)))
    return msgspec.structs.replace(before, **members)


def check_size(dimensions: Iterable[DimensionRow]) -> None:
    """Raises `invalid_profile` when the conditions of a profile compare too much together."""
    trees = [parse(each.data_config["when"]) for each in dimensions if each.data_source is DataSource.CONDITION]
    compared = sum(1 for tree in trees for _ in leaves(tree))
    if compared > MOST_COMPARISONS:
        raise refuse(
            Code.INVALID_PROFILE,
            f"The conditions of a profile can have {MOST_COMPARISONS} comparisons together; these have {compared}. "
            "A list with in or not_in is one comparison.",
        )


def read_listed(given: Mapping[str, Any], place: str) -> AddScoringDimension:
    """A dimension out of a list. Raises `invalid_body` naming the place."""
    try:
        return msgspec.convert(respell(dict(given)), prepared(AddScoringDimension))
    except msgspec.ValidationError as error:
        message, _, where = str(error).partition(" - at `$")
        at = place + where.rstrip("`")
        raise refuse(
            Code.INVALID_BODY, f"The body is not valid: {at}: {message}.", FieldError(place=at, message=message)
        ) from error


def invalid(error: ScaleError | ConditionError, place: str = "") -> Refusal:
    at = f"{place}.{error.place}" if place else error.place
    return refuse(
        Code.INVALID_PROFILE,
        f"The scoring profile cannot be used: {at} {error.message}.",
        FieldError(place=at, message=error.message),
    )


def _config(source: DataSource, given: object, place: str = "") -> dict[str, Any]:
    config = _checked(lambda: read_config(source, given), place)
    digest_of(config, f"{place}.data_config" if place else "data_config")
    if source is DataSource.CONDITION:
        try:
            compile_condition(parse(config["when"], "data_config.when"), "data_config.when")
        except ConditionError as error:
            raise invalid(error, place) from None
    return config


def _checked(read: Callable[[], T], place: str = "") -> T:
    try:
        return read()
    except ScaleError as error:
        raise invalid(error, place) from None
