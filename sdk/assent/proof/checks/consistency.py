"""One log and no other: each head that the bundle names, and the one that the reader kept, against its own.

1. Every step's checkpoint is signed by a key of the bundle, of the same log, and its tree is the beginning of the
   bundle's (or the bundle's of it). Steps stand in the order of their sizes, one for each.
2. A head that the reader kept must be signed by a key of the bundle or of the reader's key set, be of the same log, and
   have the size and the root of the bundle's checkpoint or of one of its steps.
"""

from __future__ import annotations

import re

from assent.contract.evidence.proofs import CheckName, ConsistencyStep, ProofCheck
from assent.contract.evidence.wallet import Jwk
from assent.proof.checks.case import Case, failed, passed, skipped, warned
from assent.proof.jwk import JwkError, load_jwk, standing
from assent.proof.merkle import verify_consistency
from assent.proof.note import Checkpoint, NoteError, verify_checkpoint

_NAME = CheckName.CONSISTENCY
_HASH = re.compile(r"[0-9a-f]{64}")


def check_consistency(case: Case) -> ProofCheck:
    own = case.checkpoint
    if own is None:
        return skipped(_NAME, "The tree head did not hold, so there is nothing to compare with.")
    heads = [own]
    for at, step in enumerate(case.bundle.consistency):
        found = _step(case, own, at, step)
        if isinstance(found, ProofCheck):
            return found
        if at and found.size <= heads[-1].size:
            return failed(_NAME, f"Step {at} is not in the order of sizes.", f"more than {heads[-1].size}", found.size)
        heads.append(found)
    if case.since is not None:
        wrong = _since(case, case.since, heads)
        if wrong is not None:
            return wrong
    elif len(heads) == 1:
        return skipped(_NAME, "There is no other head; give one that you kept to see that the log only grew.")
    doubtful = _doubtful(case, heads[1:])
    if doubtful is not None:
        return warned(_NAME, doubtful)
    kept = "" if case.since is None else ", the one that you kept among them"
    return passed(_NAME, f"All heads are of one log that only grew: {', '.join(str(h.size) for h in heads)}{kept}.")


def _step(case: Case, own: Checkpoint, at: int, step: ConsistencyStep) -> Checkpoint | ProofCheck:
    try:
        head = case.open_note(step.checkpoint)
    except NoteError as error:
        return failed(_NAME, f"The tree head of step {at} does not hold: {error}.")
    if head.origin != own.origin:
        return failed(_NAME, f"Step {at} is of another log.", own.origin, head.origin)
    if not all(map(_HASH.fullmatch, step.hashes)):
        return failed(_NAME, f"A hash of step {at} is not 64 lower-case hex digits.")
    hashes = [bytes.fromhex(each) for each in step.hashes]
    small, large = (head, own) if head.size <= own.size else (own, head)
    if not verify_consistency(small.size, large.size, small.root, large.root, hashes):
        detail = f"The trees of {small.size} and {large.size} events are not one log: history was changed."
        return failed(_NAME, detail, small.root.hex(), large.root.hex())
    return head


def _since(case: Case, note: str, heads: list[Checkpoint]) -> ProofCheck | None:
    kept = _open_head(case, note)
    if isinstance(kept, str):
        return failed(_NAME, f"The head that you kept does not hold: {kept}.")
    if kept.origin != heads[0].origin:
        return failed(_NAME, "The head that you kept is of another log.", kept.origin, heads[0].origin)
    same = [head for head in heads if head.size == kept.size]
    if not same:
        detail = f"The bundle does not lead to the head of {kept.size} events that you kept; export it again with "
        return failed(_NAME, detail + f"since={kept.size}.", kept.size, ", ".join(str(head.size) for head in heads))
    for head in same:
        if head.root != kept.root:
            detail = f"There are two logs of {kept.size} events: the one that you kept the head of, and this one."
            return failed(_NAME, detail, kept.root.hex(), head.root.hex())
    return None


def _open_head(case: Case, note: str) -> Checkpoint | str:
    """The kept head, or why it does not hold."""
    why = "there is no key to check it with"
    for key in [*case.keys.values(), *(load_jwk(jwk) for jwk in _usable(case))]:
        try:
            return verify_checkpoint(note, key)
        except NoteError as error:
            why = str(error)
        except UnicodeEncodeError:
            why = "it has no UTF-8 form"
    return why


def _usable(case: Case) -> list[Jwk]:
    """The keys of the reader's set; a set with others was refused before."""
    found = []
    for jwk in case.trusted.keys if case.trusted is not None else ():
        try:
            load_jwk(jwk)
        except JwkError:
            continue
        found.append(jwk)
    return found


def _doubtful(case: Case, others: list[Checkpoint]) -> str | None:
    """Why a head of a step is worth less than it looks: its key no longer counts."""
    if case.trusted is None:
        return None
    by_kid = {jwk.kid: jwk for jwk in _usable(case)}
    for step, head in zip(case.bundle.consistency, others, strict=True):
        for kid in case.who_signed(step.checkpoint):
            why = standing(by_kid[kid], head.signed_at) if kid in by_kid else None
            if why is not None:
                return f"The log only grew, but the head of {head.size} events is signed by key {kid}. {why}"
    return None
