"""What is looked at of one text in the arguments of a call: the text as a whole, the addresses and account numbers in
it, and the names in a list that is written as one text. `assent.flows.calls` says which of them count where.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import islice
from typing import Literal, NamedTuple, Protocol

from assent.flows.addresses import begins_address
from assent.flows.pack import Pack, Role, RunsWith
from assent.flows.results import MOST_CHARACTERS, MOST_WORDS
from assent.flows.shapes import (
    ADDRESSES,
    Shape,
    Text,
    host_shape,
    ibans,
    leading,
    leads_away,
    opened_shape,
    shape_of,
    whole_shape,
)
from assent.flows.spelling import is_file, may_lead, raw_words, runs, spelled, unescaped, visible, without_display_names

UNNAMED = frozenset[Role](["other", "reference"])
"""Roles that an address or an account number makes destinations of."""
_SEARCHED = UNNAMED | {"command"}
"""Of which what leads somewhere inside counts, too."""
_WHOLE = frozenset[Role](["destination", "credential", "command"])
"""Roles whose values are looked at as they are, however long."""
_POINTED = re.compile(r"(?!(?i:www)\.)[\w.-]*[^\W\d_][\w(.]*")  # and nothing that only an address has
_BEFORE_ADDRESS = " \t\r\n([<{\"'`*_|,;"
_MAY_LIST = re.compile(r"[,;|&\n]|\s\S+\s")
_LIST = re.compile(r"[\w\s,;|&.@#'-]+")  # what a list of names is written with; code has other signs
_SEPARATORS = re.compile(r"[,;|&\n]")
_CELLS = re.compile(r"[,;|]")
_PATCHED = re.compile(r"(?m)^\*\*\* (?:(?:Add|Update|Delete) File|Move to): (.{1,500})$")
MOST_WORDS_OF_NAME, MOST_NAMES = 3, 50
"""Of a list in one text; what has more is data."""
MOST_PIECES = 500
"""Of one text."""


class Place(Protocol):
    """Where a text stands: the `name` of its path, whether that says that an address or a host belongs there, and
    which statements or code may stand there."""

    name: str
    address: bool
    host: bool
    asked: Literal["", "query", "sql"]
    runs: RunsWith


class CallValue(NamedTuple):
    """One value of a call, as it stands there."""

    path: str
    role: Role
    shape: Shape
    text: str
    whole: bool = False
    """Whether it is a web address that is compared as a whole."""


def pieces(text: str, place: Place, role: Role, pack: Pack, *, reads: bool, of: Text) -> list[CallValue]:
    found = [*_parts_of(text, place, role, pack, of), *_patched(text, place.name)]
    if of == "near" or (reads and not place.asked):
        # A pattern is looked for, and so is what is looked for on this machine: `self.app` leads nowhere there.
        kept = [each for each in found if each.shape != "web address" or not _POINTED.fullmatch(each.text)]
        dropped = len(kept) < len(found) and role != "payload" and not any(each.text == visible(text) for each in kept)
        return [CallValue(place.name, role, "value", text), *kept] if dropped else kept
    if not reads or not _is_address(text, place, role, found):
        return found
    first = found[0]
    whole = CallValue(place.name, "destination", "web address", text, whole=True)
    if first.shape == "web address" and first.text == visible(text):
        return [whole._replace(role=first.role), *found[1:]]
    return [whole, *found]


def _patched(text: str, name: str) -> list[CallValue]:
    """The files that a patch changes (`apply_patch`), which stand in its text."""
    if "*** Begin Patch" not in text:
        return []
    files = [each[1].strip() for each in islice(_PATCHED.finditer(text), MOST_PIECES)]
    return [CallValue(name, "target", "value", each) for each in dict.fromkeys(files) if each]


def _is_address(text: str, place: Place, role: Role, found: Sequence[CallValue]) -> bool:
    """Whether a value with these pieces is a web address as a whole. What begins like one is, unless it has more words
    and stands where nothing says that an address belongs; where its name says so whatever has one in it is."""
    if role in ("payload", "command") or not any(each.shape == "web address" for each in found):
        return False
    seen = visible(text)
    if begins_address(seen.lstrip(_BEFORE_ADDRESS), bare=role != "target"):
        return place.address or role in ("destination", "target") or len(text.split()) == 1
    return place.address and (found[0].text != seen or len(found) > 1) and not is_file(seen)


def _parts_of(text: str, place: Place, role: Role, pack: Pack, of: Text) -> list[CallValue]:
    written, text, name = text, visible(text), place.name
    leads = may_lead(unescaped(text))
    if role == "payload" and not leads:
        return []
    words = raw_words(text)
    if not words:
        return []
    long = len(words) > MOST_WORDS or len(text) > MOST_CHARACTERS
    if role == "payload" or (long and len(words) > 1 and role not in _WHOLE):
        found = leading(text, words, pack, of) if leads else ()
        return [
            *(CallValue(name, "payload", shape, word) for word, shape in found),
            *_listed(text, CallValue(name, role, "value", text), pack),
        ]
    if role == "destination" and len(words) > 1 and leads:
        several = _several(text, name, pack)
        if several:
            return several
    shape = whole_shape(text, pack) if leads else "value"
    if place.address and len(text.split()) == 1:
        shape = opened_shape(text, shape)
    elif place.host:
        shape = host_shape(text, shape)
    whole = CallValue(name, role, shape, written if role == "command" else text)
    if role in UNNAMED and leads_away(text, shape):
        # An address is where something goes, whatever its argument is called.
        return [whole._replace(role="destination")]
    listed = _listed(text, whole, pack)
    if not leads or role not in _SEARCHED:
        return [whole, *listed]
    within: Role = "payload" if role == "command" else "destination"
    if role in UNNAMED:
        listed += [CallValue(name, within, "account number", each) for each in ibans(text)]
    if len(words) == 1 and role != "command" and ":" not in text:
        return [whole, *listed]
    known = {each.text for each in listed}
    inside = [each for each in leading(text, words, pack, of if place.runs else "given") if each[0] not in known]
    return [
        whole,
        *(CallValue(name, within, at, word) for word, at in inside if role == "command" or leads_away(word, at)),
        *listed,
    ]


def _listed(text: str, whole: CallValue, pack: Pack) -> list[CallValue]:
    """The names in a list of them that is written as one text (`mallory, dora`), where the name of the argument does
    not say what it is; what leads somewhere is found anyway."""
    if whole.role not in UNNAMED or not _MAY_LIST.search(text) or not _LIST.fullmatch(text):
        return []
    if len(text) > MOST_CHARACTERS and "\n" in text and _CELLS.search(text):
        # A table.
        return []
    found = list[list[str]]()
    for part in _SEPARATORS.split(text):
        found.append([])
        for word in part.split():
            if word.lower() in pack.words.joining:
                found.append([])
            else:
                found[-1].append(word)
    pieces = [" ".join(each) for each in found if each]
    if not 2 <= len(pieces) <= MOST_NAMES or any(len(each) > MOST_WORDS_OF_NAME for each in found):
        return []
    return [
        whole._replace(shape="value", text=each)
        for each in dict.fromkeys(pieces)
        if any(map(str.isalpha, each)) and whole_shape(each, pack) == "value"
    ]


def _several(text: str, name: str, pack: Pack) -> list[CallValue]:
    """The pieces of a destination with an address in it: each address and account number, and whatever stands between
    them; nothing where it has no address, or is one. Display names of mailboxes are no piece, but for what leads
    somewhere in them."""
    found: dict[str, CallValue] = {}
    addressed = False
    plain, names = without_display_names(text)
    for run in runs(plain):
        beside = list[str]()
        for word in [*run, ""]:
            shape = shape_of(word, pack) if word else "value"
            bare = spelled(word)
            if shape == "value" and bare and bare not in pack.words.joining:
                beside.append(word)
                continue
            if beside and not _is_label(beside, pack):
                piece = " ".join(beside)
                found.setdefault(piece, CallValue(name, "destination", whole_shape(piece, pack), piece))
            beside = []
            if shape != "value":
                addressed |= shape in ADDRESSES
                found.setdefault(bare, CallValue(name, "destination", shape, word))
        if len(found) > MOST_PIECES:
            break
    if not addressed:
        return []
    if "?" in text and len(text.split()) == 1 and sum(each.shape in ADDRESSES for each in found.values()) == 1:
        # One address whose query has words.
        return []
    for each in filter(may_lead, names):
        for word, shape in leading(each, raw_words(each), pack, "given"):
            found.setdefault(spelled(word), CallValue(name, "destination", shape, word))
    return list(found.values())


def _is_label(words: list[str], pack: Pack) -> bool:
    """Whether they say what comes behind their colon, as in `email: dora@x.com`."""
    return words[-1].endswith(":") and all(pack.is_noun(spelled(each)) for each in words)
