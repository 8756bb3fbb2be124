"""The routes by which the inbox's page speaks to this process, behind the session's gate (`sign_in.py`).

| | |
|---|---|
| GET `/inbox/waiting` | everything that waits |
| GET `/inbox/changes` | every change since, as server-sent events; goes on after `Last-Event-ID`, or `?after=` |
| GET `/inbox/requests/{action_id}` | what stands behind one request |
| GET `/inbox/arguments?ids=` | the exact arguments of requests that wait, by their ids, as `act_1,act_2` |
| POST `/inbox/decisions` | `{"decisions": [{key, id, verdict, reason, ...}]}`, answered by key |
| POST `/inbox/undo` | `{"keys": [...]}`, answered by key |
| POST `/inbox/dismissals` | `{"keys": [...]}`: what came otherwise of these decisions was read |
| POST `/inbox/questions` | `{id, text, conditions}`: the agent is asked |
| POST `/inbox/comments` | `{id, text}`: for the other operators |
| POST `/inbox/later` | `{"ids": [...], "until": milliseconds or null}`, answered by id |
| GET `/inbox/operators` | who may decide, and so take care of a request |
| POST `/inbox/assignments` | `{"ids": [...], "to": a key's id or null}`, answered by id |
| GET `/inbox/grants/{action_id}` | the standing grant of a request's like, without the conditions at `?without=0,2` |
| POST `/inbox/grants` | `{id, days, uses, reason, without}`: it is given |
| GET `/inbox/frontend/{name}` | the page's own scripts |

They are for this page and nobody else. A browser says of every request which site asks (`Sec-Fetch-Site`), and of every
POST which origin (`Origin`): another one is refused, and so is a POST that says neither. A POST is JSON, which a form
cannot send.

A stream ends with its session. It does not keep the session alive: only what somebody does.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import msgspec
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from assent.contract.control.inbox import ActionApproval
from assent.contract.prepared import prepared
from assent.errors import AssentError, NotFound
from assent_dashboard.inbox.changes import Change, Press
from assent_dashboard.inbox.evidence import Detail, detail
from assent_dashboard.inbox.talk import (
    Acceptance,
    Asking,
    Commenting,
    GivingGrant,
    GrantOffer,
    ask,
    comment,
    give,
    offer,
    operators_of,
    talk_of,
)
from assent_dashboard.sessions import Session, SignIns
from assent_dashboard.views import answers

BEAT_SECONDS = 10.0
"""A stream without news says so as often, and looks whether its session is still there."""
LONGEST_BODY, MOST_PRESSES, MOST_STREAMS, MOST_BEHIND = 512 * 1024, 500, 24, 2000
MOST_ARGUMENTS = 64
"""The arguments of so many requests are given at once."""
FRONTEND = Path(__file__).with_name("frontend")
MEDIA = {".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8"}
BEGIN_ANEW = b"event: anew\ndata: {}\n\n"
OVER = b"event: over\ndata: {}\n\n"

T = TypeVar("T")
Handler = Callable[[Request, Session], Awaitable[Response]]


class Presses(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    decisions: list[Press]


class Keys(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    keys: list[str]


class Postponing(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`until` is a moment in milliseconds, None to bring them back."""

    ids: list[str]
    until: int | None


class Assigning(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`to` is the id of an operator's key, None for nobody in particular."""

    ids: list[str]
    to: str | None


class Refusal(Exception):
    """What is wrong with a request, for whoever wrote the page."""

    def __init__(self, status: int, why: str) -> None:
        super().__init__(why)
        self.status = status


def inbox_routes(sign_ins: SignIns) -> list[Route]:
    def of(handler: Handler) -> Callable[[Request], Awaitable[Response]]:
        async def serve(request: Request) -> Response:
            try:
                check_site(request)
                session = sign_ins.find(request.cookies.get(sign_ins.cookie))
                if session is None:
                    raise Refusal(401, "Sign in first.")
                return await handler(request, session)
            except Refusal as refusal:
                return answer({"why": str(refusal)}, refusal.status)
            except NotFound as error:
                return answer({"why": error.detail}, 404)
            except (AssentError, RuntimeError) as error:
                return answer({"why": str(error).splitlines()[0]}, 503)

        return serve

    async def changes(request: Request, session: Session) -> Response:
        after = request.headers.get("last-event-id") or request.query_params.get("after", "")
        if session.desk.watchers >= MOST_STREAMS:
            raise Refusal(429, f"{MOST_STREAMS} pages of this session are open already.")
        token = request.cookies.get(sign_ins.cookie)
        stream = follow(session, after, lambda: sign_ins.sessions.holds(token))
        return StreamingResponse(stream, media_type="text/event-stream", headers={"cache-control": "no-store"})

    return [
        Route("/inbox/waiting", of(waiting), methods=["GET"]),
        Route("/inbox/changes", of(changes), methods=["GET"]),
        Route("/inbox/requests/{action_id}", of(behind), methods=["GET"]),
        Route("/inbox/arguments", of(given), methods=["GET"]),
        Route("/inbox/decisions", of(decide), methods=["POST"]),
        Route("/inbox/undo", of(undo), methods=["POST"]),
        Route("/inbox/dismissals", of(dismiss), methods=["POST"]),
        Route("/inbox/questions", of(question), methods=["POST"]),
        Route("/inbox/comments", of(remark), methods=["POST"]),
        Route("/inbox/later", of(later), methods=["POST"]),
        Route("/inbox/operators", of(operators), methods=["GET"]),
        Route("/inbox/assignments", of(assign), methods=["POST"]),
        Route("/inbox/grants/{action_id}", of(grant_offer), methods=["GET"]),
        Route("/inbox/grants", of(grant), methods=["POST"]),
        Route("/inbox/frontend/{name}", of(frontend), methods=["GET"]),
    ]


def check_site(request: Request) -> None:
    """Raises `Refusal` for what another page asks. The gate has compared the origin with the host already."""
    site = request.headers.get("sec-fetch-site")
    if site not in (None, "same-origin"):
        raise Refusal(403, "This was asked for by a page of another address.")
    if request.method == "POST":
        if site is None and "origin" not in request.headers:
            raise Refusal(403, "Say where this comes from: neither Origin nor Sec-Fetch-Site is there.")
        if request.headers.get("content-type", "").partition(";")[0].strip() != "application/json":
            raise Refusal(415, "Send application/json.")


async def waiting(_: Request, session: Session) -> Response:
    return answer(await run_in_threadpool(session.desk.snapshot))


async def behind(request: Request, session: Session) -> Response:
    return answer(await run_in_threadpool(_detail, session, request.path_params["action_id"]))


async def given(request: Request, session: Session) -> Response:
    ids = [each for each in request.query_params.get("ids", "").split(",") if each]
    if len(ids) > MOST_ARGUMENTS:
        raise Refusal(400, f"At most {MOST_ARGUMENTS} requests at once.")
    items = [item for each in ids if (item := session.desk.item(each)) is not None]
    return answer({"arguments": await run_in_threadpool(session.backgrounds.arguments, session.client, items)})


async def decide(request: Request, session: Session) -> Response:
    presses = (await read(request, Presses)).decisions
    if len(presses) > MOST_PRESSES:
        raise Refusal(400, f"At most {MOST_PRESSES} decisions at once.")
    return answer({"results": await run_in_threadpool(session.desk.decide, presses)})


async def undo(request: Request, session: Session) -> Response:
    keys = (await read(request, Keys)).keys
    return answer({"results": session.desk.undo(keys[:MOST_PRESSES])})


async def dismiss(request: Request, session: Session) -> Response:
    keys = (await read(request, Keys)).keys[:MOST_PRESSES]
    session.desk.dismiss(keys)
    return answer({"results": {key: Acceptance(ok=True) for key in keys}})


async def question(request: Request, session: Session) -> Response:
    said = await read(request, Asking)
    return answer(await run_in_threadpool(ask, session.client, said))


async def remark(request: Request, session: Session) -> Response:
    said = await read(request, Commenting)
    return answer(await run_in_threadpool(comment, session.client, said))


async def later(request: Request, session: Session) -> Response:
    said = await read(request, Postponing)
    if len(said.ids) > MOST_PRESSES:
        raise Refusal(400, f"At most {MOST_PRESSES} requests at once.")
    try:
        until = None if said.until is None else datetime.fromtimestamp(said.until / 1000, UTC)
    except (OverflowError, ValueError, OSError):
        raise Refusal(400, "There is no such time.") from None
    return answer({"results": await run_in_threadpool(session.desk.put_off, said.ids, until)})


async def operators(_: Request, session: Session) -> Response:
    return answer({"operators": await run_in_threadpool(operators_of, session.client, session.key.key_id)})


async def assign(request: Request, session: Session) -> Response:
    said = await read(request, Assigning)
    if len(said.ids) > MOST_PRESSES:
        raise Refusal(400, f"At most {MOST_PRESSES} requests at once.")
    return answer({"results": await run_in_threadpool(session.desk.assign, said.ids, said.to)})


async def grant_offer(request: Request, session: Session) -> Response:
    places = [each for each in request.query_params.get("without", "").split(",") if each]
    if not all(each.isascii() and each.isdecimal() and len(each) < 4 for each in places):
        raise Refusal(400, "without has the places of conditions, as 0,2.")
    return answer(await run_in_threadpool(_offer, session, request.path_params["action_id"], {*map(int, places)}))


async def grant(request: Request, session: Session) -> Response:
    said = await read(request, GivingGrant)
    return answer(await run_in_threadpool(_give, session, said))


async def frontend(request: Request, _: Session) -> Response:
    found = files().get(request.path_params["name"])
    if found is None:
        raise Refusal(404, "There is no such script.")
    content, media = found
    return Response(content, media_type=media, headers={"cache-control": "no-cache"})


@cache
def files() -> dict[str, tuple[bytes, str]]:
    return {file.name: (file.read_bytes(), MEDIA[file.suffix]) for file in FRONTEND.iterdir() if file.suffix in MEDIA}


async def follow(session: Session, after: str, holds: Callable[[], bool]) -> AsyncIterator[bytes]:
    """The stream of one page."""
    loop, news = asyncio.get_running_loop(), asyncio.Queue[Change | None]()

    def told(change: Change | None) -> None:
        loop.call_soon_threadsafe(news.put_nowait, change)

    since = session.desk.watch(told, after)
    if since is None:
        yield BEGIN_ANEW
        return
    try:
        yield b": open\n\n"
        for change in since:
            yield written(change)
        while True:
            try:
                async with asyncio.timeout(BEAT_SECONDS):
                    next_one = await news.get()
            except TimeoutError:
                if not holds():
                    yield OVER
                    return
                yield b": still there\n\n"
                continue
            if next_one is None:
                yield OVER
                return
            if news.qsize() > MOST_BEHIND:
                yield BEGIN_ANEW
                return
            yield written(next_one)
    finally:
        session.desk.leave(told)


def written(change: Change) -> bytes:
    return b"id: %s\nevent: change\ndata: %s\n\n" % (change.v.encode(), msgspec.json.encode(change))


async def read(request: Request, kind: type[T]) -> T:
    body = b""
    async for chunk in request.stream():
        body += chunk
        if len(body) > LONGEST_BODY:
            raise Refusal(413, f"At most {LONGEST_BODY} bytes.")
    try:
        return msgspec.json.decode(body, type=prepared(kind))
    except msgspec.DecodeError as error:
        raise Refusal(400, str(error)) from None


def answer(value: Any, status: int = 200) -> Response:
    return Response(msgspec.json.encode(value), status, {"cache-control": "no-store"}, "application/json")


def _detail(session: Session, action_id: str) -> Detail:
    item = session.desk.item(action_id)
    if item is None:
        found = session.client.get_action(action_id)
        if found.approval is None:
            raise Refusal(404, "Nobody was asked about this action.")
        item = ActionApproval(action=found.action, approval=found.approval, context_digest=None)
    known = session.backgrounds
    background, talk = answers.both(
        lambda: known.of(session.client, item), lambda: talk_of(session.client, item.action.action_id)
    )
    return detail(item, background, known.policy_names(session.client), talk)


def _offer(session: Session, action_id: str, without: set[int]) -> GrantOffer:
    return offer(session.client, action_id, without)


def _give(session: Session, said: GivingGrant) -> Acceptance:
    return give(session.client, said, session.clock.now())
