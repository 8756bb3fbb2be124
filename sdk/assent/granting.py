"""What somebody looks at before they give a standing grant of a request's like, on a page or at a terminal. Pure.

    draft = client.draft_grant(action_id)
    parts = parts_of(draft)                        # its conditions, one by one
    opened(parts[0])                               # what it leaves open without the first of them
    when = when_of(parts, without={0})             # wider: without the first of them
    preview = client.preview_grant(draft.agent_ids, draft.action_type, max_risk=draft.max_risk, when=when)
    would(preview)                                 # sentences

Texts that a stranger may have written are as they came, but for the conditions in words.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from assent.contract.analysis.grant_previews import GrantPreview
from assent.contract.conditions import (
    WORDS,
    All,
    Compare,
    Condition,
    Op,
    SameMembers,
    SameValue,
    describe,
    in_words,
    to_data,
    whole_words,
)
from assent.contract.control.grants import GrantDraft, condition_of
from assent.contract.names import NAME_FIELDS, marked, marked_scalar, marked_text
from assent.contract.visible import visible

DAYS, USES = 7, 20
"""For how long and how often a grant is given where nobody says otherwise."""
NOBODY = "no agent is named, and a grant is always for some agent"
ANY = "any request of this type"


def parts_of(draft: GrantDraft) -> list[Condition]:
    """The conditions of the pattern, each of which has to hold; none where it covers any request of the type."""
    condition = condition_of(draft.when)
    if condition is None:
        return []
    return list(condition.branches) if isinstance(condition, All) else [condition]


def when_of(parts: Sequence[Condition], without: Collection[int] = ()) -> dict[str, Any] | None:
    """The conditions of a grant, those at the places `without` left out."""
    kept = tuple(each for place, each in enumerate(parts) if place not in without)
    return to_data(All(kept)) if kept else None


def part_in_words(part: Condition, exact: Mapping[str, str] | None = None) -> str:
    """`parameters.amount is at most 50`, on one line in which everything is seen. `exact` is the draft's: what the
    values are that are bound by their digests."""
    match part:
        case SameMembers(field=field, members=members):
            return f"{_path(field)} are {', '.join(map(marked, members))} and no others"
        case SameValue(field=field) if exact and field in exact:
            same = "the same names as here" if field in NAME_FIELDS else "exactly as here"
            return f"{_path(field)}: {same} ({marked_text(exact[field])})"
        case SameValue():
            return visible(whole_words(part))
        case Compare(field=field, op=Op.EXISTS, value=value):
            return f"{_said(field)} {'is there' if value else 'is not there'}"
        case Compare(field=field, op=op, value=value):
            values = [marked_scalar(each) for each in (value if isinstance(value, tuple) else (value,))]
            return f"{_said(field)} {WORDS[op]} {' or '.join(values)}"
        case _:
            return visible(in_words(describe(part)))


def opened(part: Condition) -> str | None:
    """What a grant leaves open without this part of a draft: `any attachments`; None where that is said by the part."""
    if isinstance(part, SameMembers):
        return "further arguments of any name and value"
    if not isinstance(part, Compare | SameValue):
        return None
    of, _, name = part.field.partition(".")
    if of != "parameters":
        return "any arguments" if of == "parameters_digest" else f"any {_path(part.field)}"
    if name:
        return f"any {_path(name)}"
    none = isinstance(part, Compare) and part.op is Op.EXISTS
    return "arguments of any name and value" if none else "any arguments"


def unbound(draft: GrantDraft) -> str | None:
    """That arguments of the request cannot be bound, and which; None where all are."""
    if not draft.unbound:
        return None
    return f"No condition can bind {', '.join(map(marked, draft.unbound))}: a grant lets any value of it through."


def unbound_metadata(draft: GrantDraft) -> str | None:
    """That the metadata of the request are not bound, and which; None where it has none."""
    if not draft.unbound_metadata:
        return None
    return f"Metadata are not bound, and may be others: {', '.join(map(marked, draft.unbound_metadata))}."


def _path(field: str) -> str:
    return ".".join(map(marked, field.split(".")))


def _said(field: str) -> str:
    """A field of the contract in words, the path of an argument as it is."""
    return _path(field) if "." in field else _path(field).replace("_", " ")


def why_not(draft: GrantDraft) -> str | None:
    """Why a grant would not be used for the request itself."""
    return draft.why_not if draft.agent_ids else NOBODY


def would(preview: GrantPreview) -> list[str]:
    """What a grant would have covered: how many requests, how they ended with a bound, and the near misses."""
    asked = f"{preview.looked_at} request{'' if preview.looked_at == 1 else 's'}"
    said = [f"In 30 days it would have covered {preview.covered} of {asked} of this type that people were asked about."]
    if preview.covered:
        said.append(f"Of these people allowed {preview.approved} and denied {preview.denied}.")
    if preview.ran:
        bound = "too few ran to bound that"
        if preview.failures_high is not None:
            bound = f"at most {100 * preview.failures_high:.0f} % at 95 % confidence"
        said.append(f"{preview.failed} of {preview.ran} that ran failed ({bound}).")
    if preview.always_asked:
        said.append(f"{preview.always_asked} would be asked about anyway, by a policy that always asks.")
    said += [f"{miss.n} more but for: {in_words(miss.says)}." for miss in preview.near_misses if miss.n]
    if preview.simulated:
        said.append(f"{preview.simulated} of the covered ones were simulated.")
    return said
