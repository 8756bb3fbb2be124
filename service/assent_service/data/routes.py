"""Tables as data over HTTP."""

from __future__ import annotations

from assent.contract.data import GET_DATA_DICTIONARY, GET_TABLE, GET_TABLE_DAYS
from assent_service.core.call import Answer, Call
from assent_service.core.route import Route, route
from assent_service.core.stream import ByteStream
from assent_service.data.data import Data, Wanted
from assent_service.data.datasets import dictionary


def routes(data: Data) -> tuple[Route, ...]:
    @route(GET_DATA_DICTIONARY)
    async def get_dictionary(call: Call) -> Answer:
        return Answer(dictionary())

    @route(GET_TABLE)
    async def get_table(call: Call) -> ByteStream:
        wanted = Wanted(call.header("accept"), call.header("if-none-match"))
        return await data.table(call.principal, call.path["table"], call.query, wanted)

    @route(GET_TABLE_DAYS)
    async def get_table_days(call: Call) -> Answer:
        return Answer(await data.days.of(call.principal, call.path["table"], call.query))

    return get_dictionary, get_table, get_table_days
