"""The service with two no-ops beside it, to compare guard with: `python -m tests.benchmarks.app HOME PORT [PROOFS]`.

PROOFS is `often`, for a tree head signed every second instead of every five minutes, or `never`, for no Merkle tree at
all. Telemetry is what the environment says.

`/noop` is an ordinary handler of the framework with a typed body and answer and the same authentication; `/bare` goes
through the service's own door and does nothing.
"""

from __future__ import annotations

import os
import sys

from litestar import post
from litestar.connection import ASGIConnection
from litestar.exceptions import NotAuthorizedException
from litestar.handlers.base import BaseRouteHandler

from assent.contract.control.guard import GuardContext
from assent.contract.endpoint import Endpoint
from assent.contract.record import Record
from assent.contract.roles import ANYONE
from assent_service.app import build
from assent_service.core.call import Call
from assent_service.core.route import RECORDS_NOTHING, serves
from assent_service.core.settings import load
from assent_service.serve import listen, serve, write_secret
from assent_service.telemetry import configured


class Nothing(Record, frozen=True, kw_only=True):
    action_type: str


BARE = Endpoint(
    operation="bare",
    method="POST",
    path="/bare",
    summary="Nothing.",
    roles=ANYONE,
    request=GuardContext,
    response=Nothing,
    open_body=True,
)


@serves(BARE, unfenced=RECORDS_NOTHING)
async def bare(call: Call[GuardContext, None]) -> Nothing:
    return Nothing(action_type=call.body.action_type)


def main(home: str, port: int, proofs: str = "") -> None:
    seconds = {"often": 1.0, "never": 3600.0}.get(proofs, 300.0)
    settings = load(os.environ, home=home, port=port, log_level="warning", head_seconds=seconds)
    listener = listen(settings)
    service = build(
        settings,
        on_first_start=lambda made: write_secret(service_home / "admin.key", made.api_key),
        more=[bare],
        keep_tree=proofs != "never",
        otel=configured(os.environ),
    )

    def authenticate(connection: ASGIConnection, _: BaseRouteHandler) -> None:  # type: ignore[type-arg]
        if service.keys.authenticate(connection.headers.get("x-api-key", "")) is None:
            raise NotAuthorizedException

    @post("/noop", guards=[authenticate])
    async def noop(data: GuardContext) -> Nothing:
        return Nothing(action_type=data.action_type)

    service.app.register(noop)
    serve(service, listener, lambda: print("ready", flush=True))


if __name__ == "__main__":
    from pathlib import Path

    service_home = Path(sys.argv[1])
    main(sys.argv[1], int(sys.argv[2]), *sys.argv[3:])
