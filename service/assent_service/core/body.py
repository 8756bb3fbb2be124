"""From bytes to a struct: everything about a body or a query is checked here, once."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import Any, TypeVar, get_type_hints
from urllib.parse import parse_qsl

import msgspec

from assent.contract.endpoint import AnyEndpoint
from assent.contract.meanings import structs_of
from assent.contract.one_reading import Twice, check_once
from assent.contract.prepared import prepared
from assent.contract.problems import Code, FieldError
from assent.contract.record import Query, Request, null_for_default
from assent.contract.spelling import respell
from assent.secrets import without_own
from assent_service.base.problem import Refusal, refuse, two_readings
from assent_service.core.moments import put_in_utc
from assent_service.core.names import check_open, settle
from assent_service.core.redacted import cut, spoken

R = TypeVar("R", bound=Request)

CONTAINERS, TEXTS = 2_000_000, 1_000_000
"""Brackets and braces of a body, those in its texts included, and texts and names: a body of 50 MB that somebody means
has fewer. It could be three bytes to each of them, and in memory they are fifty times that."""

_WHERE = re.compile(r"^(?P<message>.*) - at `\$\.?(?P<place>.*)`$", re.DOTALL)
_ID = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.:\-]{0,127}")


def decode_object(body: bytes, *, tells_twice: bool = False) -> dict[str, Any]:
    """The JSON object in `body`; an empty body is an empty object.

    Raises `invalid_json` when it is not JSON in UTF-8; `invalid_body` when it is not an object, or a member stands
    twice in an object of it, unless whoever answers `tells_twice` that it does; `payload_too_large` for more than
    CONTAINERS arrays and objects, or TEXTS texts and names.
    """
    if not body:
        return {}
    if len(body) > TEXTS:
        _check_parts(body)
    try:
        members = msgspec.json.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise refuse(Code.INVALID_JSON, f"The body is not JSON in UTF-8: {error}.") from error
    except RecursionError as error:
        raise _too_deep() from error
    if not isinstance(members, dict):
        raise refuse(Code.INVALID_BODY, f"The body must be a JSON object, not {_kind(members)}.")
    if not tells_twice:
        _check_one_reading(body, members)
    return members


def _too_deep() -> Refusal:
    return refuse(Code.INVALID_JSON, "The body is nested too deeply; 500 levels are plenty.")


def _check_one_reading(body: bytes, members: dict[str, Any]) -> None:
    try:
        check_once(body, members)
    except Twice as twice:
        raise two_readings(twice) from None
    except RecursionError as error:
        raise _too_deep() from error


def _check_parts(body: bytes) -> None:
    """Counting costs a hundredth of decoding."""
    if body.count(b"[") + body.count(b"{") > CONTAINERS:
        raise refuse(
            Code.PAYLOAD_TOO_LARGE, f"The body has more than {CONTAINERS} arrays and objects; that many are not read."
        )
    # A quotation mark behind one backslash is in a text; behind two it may be the end of one.
    marks = body.count(b'"') - body.count(b'\\"') + body.count(b'\\\\"')
    if marks > 2 * TEXTS:
        raise refuse(Code.PAYLOAD_TOO_LARGE, f"The body has more than {TEXTS} texts and names; that many are not read.")


def convert(endpoint: AnyEndpoint[Any], request: type[R], members: dict[str, Any], *, strict: bool) -> R:
    """`members` as the endpoint's request, every member checked."""
    if strict and not endpoint.open_body:
        _refuse_unknown(request, members)
    try:
        body = msgspec.convert(with_defaults(request, members), prepared(request))
    except msgspec.ValidationError as error:
        raise _invalid(Code.INVALID_BODY, "body", error) from error
    put_in_utc(body)
    if endpoint.open_body:
        check_open(members, request.__struct_encode_fields__)
    return settle(body)


def convert_redacted(
    endpoint: AnyEndpoint[Any], request: type[R], sent: dict[str, Any], left: dict[str, Any], *, strict: bool
) -> tuple[R, dict[str, Any]]:
    """What is `left` of `sent` without its secrets, as the endpoint's request, and the members that this is of. What
    stands in a secret's place may be longer than it: a body that is right but for that is cut where it grew."""
    try:
        return convert(endpoint, request, spoken(left), strict=strict), left
    except Refusal:
        if left is sent:
            raise
        left = cut(sent, left)
        return convert(endpoint, request, spoken(left), strict=strict), left


def with_defaults(request: type[Request], value: Any) -> Any:
    """`value` without what is null where the request has a default, since null and absent mean the same."""
    defaults, below = _defaults(request)
    if not (defaults or below):
        return value
    if isinstance(value, list):
        return [with_defaults(request, each) for each in value]
    if not isinstance(value, dict):
        return value
    said = {name: each for name, each in value.items() if each is not None or name not in defaults}
    return said | {name: with_defaults(each, said[name]) for name, each in below.items() if name in said}


@cache
def _defaults(request: type[Request]) -> tuple[frozenset[str], dict[str, type[Request]]]:
    """The members for which null stands for the default, and the requests within this one that have such members."""
    hints = get_type_hints(request)
    below: dict[str, type[Request]] = {}
    for field in msgspec.structs.fields(request):
        for part in structs_of(hints[field.name])[:1]:
            if issubclass(part, Request) and any(_defaults(part)):
                below[field.encode_name] = part
    return null_for_default(request), below


def published(endpoint: AnyEndpoint[Any], members: dict[str, Any]) -> dict[str, Any]:
    """`members` by their published names."""
    return respell(members, endpoint.spelled)


def convert_query(
    query: type[Query], raw: bytes, *, closed: bool = False, spelled: Mapping[str, str] | None = None
) -> Query:
    """The query string as the endpoint's query; of a repeated parameter the last one counts.

    A parameter without a value counts as left out, except where leaving it out stands for a text of its own, such as
    a window of 30 days: an empty one is none of those. Where the query is `closed`, unknown parameters are refused.
    """
    try:
        members = respell_query(query, _pairs(raw, _never_blank(query)) if raw else {}, spelled)
        if closed:
            _refuse_parameters(query, members)
        found = msgspec.convert(members, prepared(query), strict=False)
    except msgspec.ValidationError as error:
        raise _invalid(Code.INVALID_QUERY, "query", error) from error
    except ValueError as error:
        raise refuse(Code.INVALID_QUERY, f"The query string cannot be read: {error}.") from error
    put_in_utc(found, Code.INVALID_QUERY)
    return settle(found, Code.INVALID_QUERY)


def _pairs(raw: bytes, never_blank: frozenset[str]) -> dict[str, str]:
    found = parse_qsl(raw.decode("ascii"), keep_blank_values=True, errors="strict", max_num_fields=50)
    return {name: value for name, value in found if value or name in never_blank}


@cache
def _never_blank(query: type[Query]) -> frozenset[str]:
    return frozenset(field.name for field in msgspec.structs.fields(query) if isinstance(field.default, str))


def respell_query(
    query: type[Query], pairs: dict[str, str], spelled: Mapping[str, str] | None = None
) -> dict[str, Any]:
    """Parameters by their published names; some published names are themselves in camel case and stay."""
    known = set(query.__struct_fields__)
    others = respell({name: value for name, value in pairs.items() if name not in known}, spelled)
    return others | {name: value for name, value in pairs.items() if name in known}


def not_a_cursor(cursor: str) -> Refusal:
    return refuse(
        Code.INVALID_QUERY,
        f"cursor is not one of ours: {cursor[:60]!r}. Use next_cursor of the page before, as it is.",
        FieldError(place="cursor", message="not a cursor"),
    )


def check_path(path: dict[str, Any]) -> None:
    """Ids in a path are plain: raises `invalid_path` for anything that could mean more than a name."""
    for name, value in path.items():
        if not _ID.fullmatch(str(value)):
            raise refuse(
                Code.INVALID_PATH,
                f"{name} in the path must be 1 to 128 letters, digits or _ . : -, the first a letter, a digit or _, "
                f"and is {without_own(str(value))[:80]!r}.",
                FieldError(place=name, message="not an id"),
            )


def _refuse_unknown(request: type[Request], members: dict[str, Any]) -> None:
    known = request.__struct_encode_fields__
    unknown = sorted(set(members) - set(known))
    if unknown:
        raise refuse(
            Code.UNKNOWN_MEMBER,
            f"Unknown members: {', '.join(unknown)[:300]}. Known are: {', '.join(known)}.",
            *(FieldError(place=name[:200], message="unknown member") for name in unknown[:20]),
        )


def _refuse_parameters(query: type[Query], members: dict[str, Any]) -> None:
    unknown = sorted(set(members) - set(query.__struct_fields__))
    if unknown:
        raise refuse(
            Code.INVALID_QUERY,
            f"Unknown parameters: {', '.join(unknown)[:300]}. Known are: {', '.join(query.__struct_fields__)}.",
            *(FieldError(place=name[:200], message="unknown parameter") for name in unknown[:20]),
        )


def _invalid(code: Code, what: str, error: msgspec.ValidationError) -> Refusal:
    found = _WHERE.match(str(error))
    message, place = (found["message"], found["place"] or what) if found else (str(error), what)
    return refuse(code, f"The {what} is not valid: {place}: {message}.", FieldError(place=place, message=message))


def _kind(value: object) -> str:
    names = {type(None): "null", bool: "a boolean", list: "an array", str: "a string"}
    return names.get(type(value), "a number")
