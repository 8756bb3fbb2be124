"""What a body is without what looks like a secret. Pure.

By endpoint:

- most: `redact_members`, at any depth. A text that grew past what its member may hold is cut to the length it had;
- `keeps_secrets`: members that stay as they are, since they are not stored, or would be no use without them;
- `refuses_secrets`: policies and the like decide by their very texts. Nobody changes them in passing; they are refused.

A secret in an id is refused everywhere: under another name the id would be somebody else's, or one for many.

Of the parameters of an action, guard sees and records what is left; the digest, which an approval is for, is of the
parameters as they came: otherwise an approval for one password would be one for all.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

from assent.contract.endpoint import AnyEndpoint
from assent.contract.problems import Code, FieldError
from assent.secrets import find_secrets, redact_members
from assent_service.base.problem import Refusal, refuse
from assent_service.core.faithful import digest_of

EVERYTHING: Final = "*"
PARAMETERS, DIGEST = "parameters", "parameters_digest"


class Remains(dict[str, Any]):
    """Parameters from which something was taken out; the digest beside them is of what they were."""


def redacted(endpoint: AnyEndpoint[Any], members: dict[str, Any]) -> dict[str, Any]:
    """`members` as they may be recorded: the very same where nothing in them looks like a secret.

    Raises `invalid_body` for a secret in an id, or in what is kept as it is, naming the member and never the value;
    and `invalid_json` for what is nested too deeply."""
    if EVERYTHING in endpoint.keeps_secrets:
        return members
    with _as_deep_as_python_follows():
        return _redacted(endpoint, members)


@contextmanager
def _as_deep_as_python_follows() -> Iterator[None]:
    """Raises `invalid_json` for what is nested more deeply."""
    try:
        yield
    except RecursionError as error:
        raise refuse(Code.INVALID_JSON, "The body is nested too deeply; 500 levels are plenty.") from error


def _redacted(endpoint: AnyEndpoint[Any], members: dict[str, Any]) -> dict[str, Any]:
    after: dict[str, Any] = redact_members(members)
    if after is members:
        return members
    if endpoint.keeps_secrets:
        after = _keeping(endpoint.keeps_secrets, members, after)
    for (name, value), (new_name, left) in zip(members.items(), after.items(), strict=True):
        if endpoint.refuses_secrets or is_id(name):
            _check(endpoint, name, value, new_name, left)
    if _binds(endpoint) and after.get(PARAMETERS) is not members.get(PARAMETERS):
        after = _bound(members, after)
    return after


def _keeping(names: tuple[str, ...], members: dict[str, Any], after: dict[str, Any]) -> dict[str, Any]:
    """`after` with what the endpoint keeps: members by name, and members of a list's items by `list.member`."""
    kept = after | {name: members[name] for name in names if name in members}
    for name, _, inner in (name.partition(".") for name in names if "." in name):
        before, left = members.get(name), after.get(name)
        if isinstance(before, list) and isinstance(left, list):
            kept[name] = [
                new | {inner: old[inner]} if isinstance(old, dict) and isinstance(new, dict) and inner in old else new
                for old, new in zip(before, left, strict=True)
            ]
    return kept


def is_id(name: str) -> bool:
    """Whether what the member holds is looked up by it."""
    return name in ("id", "idempotency_key") or name.endswith(("_id", "_ids"))


def check_id(value: str, place: str) -> None:
    """Raises `invalid_body` for an id that holds a secret, without the id."""
    found = find_secrets(value)
    if found:
        raise _refused(place, found[0].pattern, "give an id that is no secret; ids are kept, shown and looked up")


def _check(endpoint: AnyEndpoint[Any], name: str, value: object, new_name: str, left: object) -> None:
    place = changed_at(value, left, name) if name == new_name else "a member's name"
    if place is not None:
        why = "ids are kept, shown and looked up" if is_id(name) else f"{endpoint.operation} keeps its body as it is"
        raise _refused(place, "a secret", f"leave it out, since {why}")


def changed_at(value: object, left: object, place: str) -> str | None:
    """The first place at which the two differ, None when they are the same."""
    if isinstance(value, dict) and isinstance(left, dict):
        for (name, old), (new_name, new) in zip(value.items(), left.items(), strict=True):
            found = changed_at(old, new, f"{place}.{new_name}") if name == new_name else place
            if found is not None:
                return found
        return None
    if isinstance(value, list) and isinstance(left, list):
        pairs = enumerate(zip(value, left, strict=True))
        places = (changed_at(old, new, f"{place}[{index}]") for index, (old, new) in pairs)
        return next((each for each in places if each is not None), None)
    return None if value is left or value == left else place


def _refused(place: str, what: str, then: str) -> Refusal:
    message = f"holds what looks like {what}"
    return refuse(
        Code.INVALID_BODY,
        f"The body is not valid: {place} {message}; {then}.",
        FieldError(place=place, message=message),
    )


def _binds(endpoint: AnyEndpoint[Any]) -> bool:
    return endpoint.request is not None and DIGEST in endpoint.request.__struct_fields__


def _bound(members: dict[str, Any], after: dict[str, Any]) -> dict[str, Any]:
    """What remains of the parameters, beside the digest of all of them. Raises `invalid_body` for parameters that have
    none, or another one than was sent."""
    remains = after[PARAMETERS]
    if not isinstance(remains, dict):
        return after
    found, said = digest_of(members[PARAMETERS], PARAMETERS), members.get(DIGEST)
    if said is not None and said != found:
        raise refuse(
            Code.INVALID_BODY,
            f"parameters_digest is not the digest of parameters, which is {found}; give one of the two, or the right "
            "digest (assent.proof.act.parameters_digest).",
            FieldError(place=DIGEST, message="is not the digest of parameters"),
        )
    return after | {PARAMETERS: Remains(remains), DIGEST: found}


def spoken(members: dict[str, Any]) -> dict[str, Any]:
    """`members` for the request's own struct: where parameters lost something, their digest stands for them."""
    if isinstance(members.get(PARAMETERS), Remains):
        return {name: value for name, value in members.items() if name != PARAMETERS}
    return members


def cut(before: Any, after: Any) -> Any:
    """`after` with every text that grew cut to the length it had. Raises `invalid_json` for too deep a nest."""
    with _as_deep_as_python_follows():
        return _cut(before, after)


def _cut(before: Any, after: Any) -> Any:
    if isinstance(before, str) and isinstance(after, str):
        return after[: max(len(before), 1)] if len(after) > len(before) else after
    if isinstance(before, list) and isinstance(after, list):
        return [_cut(old, new) for old, new in zip(before, after, strict=True)]
    if isinstance(before, dict) and isinstance(after, dict):
        made = {new_name: _cut(old, new) for old, (new_name, new) in zip(before.values(), after.items(), strict=False)}
        return Remains(made) if isinstance(after, Remains) else after | made
    return after
