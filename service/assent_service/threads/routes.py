"""Context threads over HTTP."""

from __future__ import annotations

from assent.contract.threads import (
    ADD_THREAD_ENTRY,
    CLOSE_THREAD,
    CREATE_THREAD,
    GET_THREAD,
    GET_THREADS,
    AddedThreadEntry,
    ChangedThread,
    CreatedThread,
)
from assent_service.core.call import Answer, Call
from assent_service.core.route import Route, route
from assent_service.threads.threads import Threads


def routes(threads: Threads) -> tuple[Route, ...]:
    @route(CREATE_THREAD)
    async def create(call: Call) -> Answer:
        thread, new = await threads.create(call.principal, call.body)
        return Answer(CreatedThread(thread=thread, thread_id=thread.thread_id), 201 if new else 200)

    @route(GET_THREADS)
    async def list_all(call: Call) -> Answer:
        return Answer(await threads.page(call.principal, call.query))

    @route(GET_THREAD)
    async def get(call: Call) -> Answer:
        return Answer(await threads.detail(call.principal, call.path["thread_id"], call.query))

    @route(ADD_THREAD_ENTRY)
    async def add(call: Call) -> Answer:
        written = await threads.add(call.principal, call.path["thread_id"], call.body)
        return Answer(AddedThreadEntry(entry=written, entry_id=written.entry_id), 201)

    @route(CLOSE_THREAD)
    async def change(call: Call) -> Answer:
        thread = await threads.change(call.principal, call.path["thread_id"], call.body)
        return Answer(ChangedThread(thread=thread))

    return create, list_all, get, add, change
