"""What only the service can check: that the log as it is now, and the tables, say what a bundle says."""

from __future__ import annotations

from collections.abc import Sequence

from assent.contract.evidence.proofs import BundleEvent, CheckName, CheckStatus, ProofCheck
from assent.proof.event import EventError, read_event
from assent.proof.note import Checkpoint
from assent_service.store.comparison import Difference, TableComparison
from assent_service.store.failures import LogError
from assent_service.store.tree import Tree

SHOWN = 5
"""Differences that are named; the others are counted."""


def check_log(tree: Tree, org_id: str, checkpoint: Checkpoint, events: Sequence[BundleEvent]) -> ProofCheck:
    """Whether the log of today still holds the tree that was signed, and each event in its place. Blocks."""
    try:
        there = tree.size(org_id)
        if checkpoint.size > there:
            return _failed(
                "The checkpoint is of a longer log than there is: it was cut off since, or it is another one.",
                f"at most {there} events",
                f"{checkpoint.size} events",
            )
        root = tree.root(org_id, checkpoint.size)
        if root != checkpoint.root:
            return _failed(
                f"The log's first {checkpoint.size} events have another root than the checkpoint: this is not the "
                "log that it was signed for.",
                root.hex(),
                checkpoint.root.hex(),
            )
        for at, event in enumerate(events):
            wrong = _check_place(tree, org_id, at, event)
            if wrong is not None:
                return wrong
    except LogError as error:
        return _failed(f"The log could not be read: {error}", "a log without damage", type(error).__name__)
    return ProofCheck(
        name=CheckName.LOG,
        status=CheckStatus.PASS,
        detail=f"The log, now of {there} events, begins with the tree that was signed and holds {len(events)} of these "
        "events in their places.",
    )


def _check_place(tree: Tree, org_id: str, at: int, event: BundleEvent) -> ProofCheck | None:
    """Whether an event, which anybody may have written, is the one that the log has in its place."""
    try:
        proven = read_event(event.header, None)
    except EventError as error:
        return _failed(f"Event {at} of the bundle is none that a log could hold: {error}", "an event", "another text")
    there = tree.size(org_id)
    if proven.n >= there:
        return _failed(f"Event {proven.n} is not in the log.", f"at most {there - 1}", str(proven.n))
    leaf = tree.leaf(org_id, proven.n).hex()
    if leaf != proven.leaf_hash:
        return _failed(f"Event {proven.n} of the log is another one.", leaf, proven.leaf_hash)
    return None


def check_rows(compared: TableComparison, lost: Sequence[str] = ()) -> ProofCheck:
    """Whether the rows of the tables are those that the log makes. `lost` are subjects that the table of events does
    not know any more."""
    missing = [Difference("events", subject, "", "at least 1 event", "no event") for subject in lost]
    differences = [*missing, *compared.differences]
    if not differences:
        return ProofCheck(
            name=CheckName.DATABASE_ROW,
            status=CheckStatus.PASS,
            detail=f"{compared.rows} rows of the tables are, in every column, what folding the log anew gives.",
        )
    first = differences[0]
    named = "; ".join(_sentence(each) for each in differences[:SHOWN])
    more = f"; and {len(differences) - SHOWN} more" if len(differences) > SHOWN else ""
    return ProofCheck(
        name=CheckName.DATABASE_ROW,
        status=CheckStatus.FAIL,
        detail=f"The tables are not what the log says: {named}{more}. `assent rebuild` makes them anew from the log.",
        expected=first.expected,
        found=first.found,
    )


def not_checked(name: CheckName, why: str) -> ProofCheck:
    return ProofCheck(name=name, status=CheckStatus.NOT_CHECKED, detail=why)


def _sentence(difference: Difference) -> str:
    place = f"{difference.table}.{difference.column}" if difference.column else difference.table
    return f"{place} of {difference.key}: the log gives {difference.expected}, the table has {difference.found}"


def _failed(detail: str, expected: str, found: str) -> ProofCheck:
    return ProofCheck(name=CheckName.LOG, status=CheckStatus.FAIL, detail=detail, expected=expected, found=found)
