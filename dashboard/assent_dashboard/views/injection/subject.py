"""The text in which something was found, out of the record that it belongs to.

A scan keeps no text. The record may hold another text than the scanned one: secrets are taken out before it is kept,
and it may have been erased. So a text counts only if its digest is the scan's.
"""

from __future__ import annotations

import hashlib
import re
from datetime import timedelta
from typing import Any

import msgspec

from assent import Client
from assent.contract.injection import RecordedScan, SubjectKind
from assent.contract.record import Record
from assent.errors import Forbidden, InvalidRequest, NotFound

MOST = 200
"""Handoffs of an agent that are looked through."""
_STEP = re.compile(r"\.([A-Za-z_][A-Za-z0-9_\-]*)|\[([0-9]+)\]")
_NAME = re.compile(r"name ([0-9]+) of (.+)", re.DOTALL)


def text_of(client: Client, scan: RecordedScan) -> str | None:
    """The very text that was scanned; None where it is not to be had, or not for this key."""
    try:
        found = _at(_record(client, scan), scan.field)
    except (NotFound, InvalidRequest, Forbidden):
        return None
    return found if isinstance(found, str) and digest_of(found) == scan.text_digest else None


def digest_of(text: str) -> str:
    """As the service has it; a text that cannot be UTF-8 has none that anything equals."""
    return "sha256:" + hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _record(client: Client, scan: RecordedScan) -> dict[str, Any]:
    """The members of the subject."""
    match scan.subject_kind:
        case SubjectKind.MESSAGE:
            return _members(client.get_message(scan.subject_id).message)
        case SubjectKind.ASSUMPTION:
            return _members(client.get_assumption(scan.subject_id).assumption)
        case SubjectKind.HANDOFF:
            listed = client.get_handoffs(agent_id=scan.agent_id, limit=MOST).handoffs
            found = next((each for each in listed if each.handoff_id == scan.subject_id), None)
            return {} if found is None else _members(found)
        case SubjectKind.GUARD_DECISION:
            return _context(client, scan)
        case SubjectKind.SCAN:
            return {}


def _members(record: Record) -> dict[str, Any]:
    found: dict[str, Any] = msgspec.to_builtins(record)
    return found


def _context(client: Client, scan: RecordedScan) -> dict[str, Any]:
    """What guard was asked; only the days around it and the agent are read."""
    day = scan.created_at.date()
    frame = client.frame(
        "decisions",
        since=day - timedelta(days=1),
        until=day + timedelta(days=1),
        agent_id=scan.agent_id,
        columns=["decision_id", "context"],
    )
    for decision_id, context in frame.iter_rows():
        if decision_id == scan.subject_id and context:
            found = msgspec.json.decode(context)
            return found if isinstance(found, dict) else {}
    return {}


def _at(record: dict[str, Any], place: str) -> object:
    """What stands at a place such as `metadata.notes[0]`; None where nothing does."""
    named = _NAME.fullmatch(place)
    if named is not None:
        inside = _at(record, named[2])
        names = list(inside) if isinstance(inside, dict) else []
        return names[int(named[1])] if int(named[1]) < len(names) else None
    found: object = record
    for member, index in _STEP.findall("." + place):
        if isinstance(found, dict):
            values = list(found.values())
            found = found.get(member) if member else values[int(index)] if int(index) < len(values) else None
        elif isinstance(found, list) and index and int(index) < len(found):
            found = found[int(index)]
        else:
            return None
    return found
