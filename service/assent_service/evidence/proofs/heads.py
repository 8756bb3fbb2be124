"""Signed tree heads: what the service says, once and for good, about how long the log is and what is in it.

1. A head is kept beside the log before it is given out, so that `assent log verify` can hold the log against it.
2. While the log grows, a head is signed every now and then, and at a stop, whether or not anybody asks: what is cut off
   or rewritten later is found out by the newest of them.
3. Whoever asks gets the newest head if it covers what they ask about and was signed by the key in use, not long ago;
   otherwise a new one.
4. The head of an earlier size can be signed at any time: the tree only ever grows. A reader who holds another head of
   that size has the proof that there are two logs.
5. In a data folder whose log does not hold the newest of its own heads nothing is signed until somebody has said that
   the log is to go on (`assent log adopt`): it was restored to an earlier moment, or cut. Heads in a database are
   restored together with its log, so there it is seen by the heads that a replica's folder had and by the event that
   its copy ended with (`noted_heads`), and before each signature by the last event that this process has read.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterable
from contextlib import suppress
from datetime import timedelta
from functools import partial

from msgspec import Struct

from assent.contract.evidence.log import LogHead
from assent.contract.health import Check
from assent.contract.problems import Code, FieldError
from assent.proof.note import Checkpoint, read_checkpoint, sign_checkpoint
from assent_service.base.clock import Clock, moment
from assent_service.base.problem import Refusal, refuse
from assent_service.core.locks import EntityLocks, Fence
from assent_service.evidence.wallet import WALLET_FENCE, Signer, Wallet
from assent_service.store.adoption import TO_DO
from assent_service.store.failures import HistoryLost, LogError
from assent_service.store.heads import HeadStore as StoredHeads
from assent_service.store.ledger import Ledger
from assent_service.store.noted_heads import read_noted, strike_off

HEAD_FENCE = Fence("head")
HEAD_FENCES = (HEAD_FENCE, WALLET_FENCE)
"""Held for a signed head; the wallet's, since a key may have to be made."""
LATE = 2
"""Looks in a row that may leave a log without a head of its newest events before that is told."""

log = logging.getLogger("assent.heads")


class HeadWithSigner(Struct, frozen=True):
    """A head and the key that signed it, ready to sign more."""

    head: LogHead
    signer: Signer


class Heads:
    """The heads of every organization. `organizations` names them all; `origin` is the beginning of each log's name,
    `seconds` how old a head may be that is given out while the log has grown."""

    def __init__(
        self,
        ledger: Ledger,
        wallet: Wallet,
        clock: Clock,
        locks: EntityLocks,
        stored: StoredHeads,
        organizations: Callable[[], Iterable[str]],
        *,
        origin: str,
        seconds: float,
    ) -> None:
        self._ledger, self._wallet, self._clock, self._locks = ledger, wallet, clock, locks
        self._stored, self._organizations, self._origin = stored, organizations, origin
        self._life = timedelta(seconds=seconds)
        self._watch: asyncio.Task[None] | None = None
        self._unsigned: dict[str, int] = {}
        """How many looks in a row an organization's log has been longer than its newest head, where it still is."""
        self._noting, self._noted_checked = asyncio.Lock(), False
        self._held: set[str] = set()
        """Organizations whose log was found to hold the newest head that was there at the start."""

    async def newest(self, org_id: str, covering: int = 1) -> HeadWithSigner:
        """A head of at least `covering` events. Raises `wallet_unavailable`, `storage_unavailable` and
        `projection_behind`."""
        async with self._locks.hold(HEAD_FENCE.of(org_id)):
            await self._check_held(org_id)
            signer = await self._wallet.signer(org_id)
            await self._ledger.caught_up()
            size = self._ledger.tree.size(org_id)
            found = await asyncio.to_thread(self._stored.newest, org_id)
            if found is not None:
                head = self._answer(org_id, found.checkpoint)
                fresh = head.size == size or moment(self._clock()) - head.signed_at < self._life
                if fresh and covering <= head.size <= size and head.kid == signer.kid:
                    return HeadWithSigner(head, signer)
            return await self._sign(org_id, size, found.checkpoint if found and found.size == size else None)

    async def of_size(self, org_id: str, size: int) -> HeadWithSigner:
        """The head of the tree as it was with `size` events, by the key in use. Raises `invalid_query` for a size that
        the log has not reached, and as `newest` does."""
        async with self._locks.hold(HEAD_FENCE.of(org_id)):
            await self._check_held(org_id)
            signer = await self._wallet.signer(org_id)
            await self._ledger.caught_up()
            there = self._ledger.tree.size(org_id)
            if not 1 <= size <= there:
                raise _out_of_range(size, there)
            found = await asyncio.to_thread(self._stored.of_size, org_id, size)
            if found is not None:
                head = self._answer(org_id, found.checkpoint)
                if head.kid == signer.kid:
                    return HeadWithSigner(head, signer)
            return await self._sign(org_id, size, found.checkpoint if found else None)

    async def covering(self, org_id: str, size: int) -> LogHead | None:
        """The first head of at least `size` events; nothing is signed for that, so there may be none yet."""
        found = await asyncio.to_thread(self._stored.covering, org_id, size)
        return None if found is None else self._answer(org_id, found.checkpoint)

    def inspect(self) -> Check:
        """Whether heads keep up with the log. What is behind the newest head can be cut off unseen."""
        late = [looks for looks in self._unsigned.values() if looks >= LATE]
        if not late:
            return Check(name="heads", status="pass", detail="Signed tree heads keep up with the log.")
        whose = "one organization" if len(late) == 1 else f"{len(late)} organizations"
        return Check(
            name="heads",
            status="warn",
            detail=f"The newest signed tree head of {whose} has been behind the log for "
            f"{max(late) * self._life.total_seconds():.0f} s. The service's log says what keeps it from signing.",
        )

    async def start(self) -> None:
        self._watch = asyncio.create_task(self._look())

    async def stop(self) -> None:
        """Ends the looking, and signs what has been recorded since the last head, where there is a key already."""
        if self._watch is not None:
            self._watch.cancel()
            with suppress(asyncio.CancelledError):
                await self._watch
        for org_id in list(self._organizations()):
            if self._wallet.has_key(org_id):
                await self._follow(org_id)

    async def _check_held(self, org_id: str) -> None:
        """Rule 5, once for each organization."""
        if self._ledger.shared is not None:
            await self._check_noted()
            return
        if org_id in self._held:
            return
        await self._ledger.caught_up()
        found = await asyncio.to_thread(self._stored.newest, org_id)
        if found is not None:
            head, _, _ = read_checkpoint(found.checkpoint)
            size = self._ledger.tree.size(org_id)
            if head.size > size or await asyncio.to_thread(self._ledger.tree.root, org_id, head.size) != head.root:
                self._wallet.withhold(
                    f"A head of {head.size} events was signed at {head.signed_at.isoformat(timespec='seconds')}, and "
                    f"the log, now of {size}, does not hold it: it was restored to an earlier moment, or cut. {TO_DO}"
                )
        self._held.add(org_id)

    async def _check_noted(self) -> None:
        """Rule 5 of a replica, once: whatever its folder has seen, also of organizations that are gone."""
        async with self._noting:
            if self._noted_checked:
                return
            given = await asyncio.to_thread(read_noted, self._stored.home)
            if given:
                if (current := self._ledger.current()) is not None:
                    await current
                await self._ledger.caught_up()
            tree = self._ledger.tree
            for each in given:
                head, _, _ = read_checkpoint(each.head.checkpoint)
                size = tree.size(each.org_id)
                if head.size <= size and await asyncio.to_thread(tree.root, each.org_id, head.size) == head.root:
                    await asyncio.to_thread(strike_off, self._stored.home, each)
                    continue
                self._wallet.withhold(
                    f"A head of {head.size} events was signed at {head.signed_at.isoformat(timespec='seconds')}, and "
                    f"the log in the database, now of {size}, does not hold it: it was restored to an earlier moment. "
                    f"{TO_DO}"
                )
            self._noted_checked = True

    async def _check_all_held(self) -> None:
        """Rule 5, so that it is told before anybody wants a head."""
        for org_id in list(self._organizations()):
            try:
                await self._check_held(org_id)
            except Refusal as refusal:
                log.warning("the newest head of %s was not compared with its log yet: %s", org_id, refusal.detail)
            except Exception:
                log.exception("comparing the newest head of %s with its log failed; signing tries again", org_id)

    async def _look(self) -> None:
        await self._check_all_held()
        turn = self._ledger.turn("heads")
        while True:
            await asyncio.sleep(self._life.total_seconds())
            if not await turn.is_ours():
                continue
            for org_id in list(self._organizations()):
                await self._follow(org_id)

    async def _follow(self, org_id: str) -> None:
        """Sign a head when the log has grown since the last one."""
        try:
            await self._ledger.caught_up()
            size = self._ledger.tree.size(org_id)
            found = await asyncio.to_thread(self._stored.newest, org_id)
            if size and (found is None or found.size < size):
                self._unsigned[org_id] = self._unsigned.get(org_id, 0) + 1
                await self._ledger.run(partial(self.newest, org_id, size))
            self._unsigned.pop(org_id, None)
        except Refusal as refusal:
            log.warning("no tree head could be signed for %s: %s", org_id, refusal.detail)
        except Exception:
            log.exception("signing a tree head for %s failed; the next look tries again", org_id)

    async def _sign(self, org_id: str, size: int, instead_of: str | None) -> HeadWithSigner:
        """A new head, in the place of one of this size whose key has ended."""
        root = await asyncio.to_thread(self._ledger.tree.root, org_id, size)
        await self._check_history()
        # Nothing may come between this and the signature: a rotation would end the key's time.
        signer = await self._wallet.signer(org_id)
        checkpoint = Checkpoint(
            origin=f"{self._origin}/{org_id}", size=size, root=root, signed_at=moment(self._clock())
        )
        note = sign_checkpoint(checkpoint, signer.key)
        kept = await asyncio.to_thread(self._keep, org_id, size, note, instead_of)
        if kept != note:
            # Another service on the same log was first: there is one head, and that is it.
            return HeadWithSigner(self._answer(org_id, kept), signer)
        return HeadWithSigner(_head(checkpoint, signer.kid, note), signer)

    async def _check_history(self) -> None:
        """What is signed is still what those have who share the log."""
        try:
            await asyncio.to_thread(self._ledger.log.check_history)
        except HistoryLost as error:
            self._wallet.withhold(f"The database was restored to an earlier moment: {error}. Start the service again.")
        except LogError as error:
            raise _not_kept() from error

    def _keep(self, org_id: str, size: int, note: str, instead_of: str | None) -> str:
        """The head that is kept. They are kept in the order of their sizes; those that came after vouch for one of an
        earlier size."""
        try:
            newest = self._stored.newest(org_id)
            if newest is not None and newest.size > size:
                found = self._stored.of_size(org_id, size)
                return note if found is None or found.checkpoint == instead_of else found.checkpoint
            return self._stored.append(org_id, size, note, instead_of)
        except LogError as error:
            raise _not_kept() from error
        except OSError as error:
            raise refuse(
                Code.STORAGE_UNAVAILABLE,
                f"The signed tree head could not be kept, so it was not given out: {error.strerror}. Free space in the "
                "data folder and try again.",
            ) from error

    def _answer(self, org_id: str, note: str) -> LogHead:
        """A kept head; its key is found by the key id in the note."""
        checkpoint, named, _ = read_checkpoint(note)
        return _head(checkpoint, self._wallet.kid_of(org_id, checkpoint.origin, named) or "", note)


def _head(checkpoint: Checkpoint, kid: str, note: str) -> LogHead:
    return LogHead(
        origin=checkpoint.origin,
        size=checkpoint.size,
        root=checkpoint.root.hex(),
        signed_at=checkpoint.signed_at,
        kid=kid,
        checkpoint=note,
    )


def _not_kept() -> Refusal:
    return refuse(
        Code.STORAGE_UNAVAILABLE,
        "The signed tree head could not be kept, so it was not given out: the evidence log's database does not answer. "
        "Try again in a moment.",
    )


def _out_of_range(size: int, there: int) -> Refusal:
    return refuse(
        Code.INVALID_QUERY,
        f"The log has {there} events, so there is no tree of {size}; ask for 1 to {there}. If you hold a head of that "
        "size, this is not the log that it is of, or it was cut off.",
        FieldError(place="size", message=f"must be 1 to {there}"),
    )
