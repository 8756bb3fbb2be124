"""What guard is compared with: `python -m tests.benchmarks.bare PORT [lean]`, a uvicorn application that reads the body
and answers as many bytes as its path says (`POST /620`). It checks and keeps nothing.

uvicorn runs as it does by itself (uvloop, httptools, an access log); `lean` leaves out its access log and the headers
that the service leaves out too.
"""

from __future__ import annotations

import sys
from typing import Any

import uvicorn

LEAN: dict[str, Any] = {
    "ws": "none",
    "lifespan": "off",
    "access_log": False,
    "proxy_headers": False,
    "server_header": False,
    "date_header": False,
}


async def app(scope: Any, receive: Any, send: Any) -> None:
    if scope["type"] != "http":
        raise NotImplementedError(scope["type"])  # how an application says that it has no lifespan
    more = True
    while more:
        more = (await receive()).get("more_body", False)
    size = scope["path"][1:]
    content = b"." * (int(size) if size.isdecimal() else 2)
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(content)).encode())]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": content})


def main(port: int, *, lean: bool) -> None:
    uvicorn.run(app, host="127.0.0.1", port=port, **(LEAN if lean else {}))


if __name__ == "__main__":
    main(int(sys.argv[1]), lean="lean" in sys.argv[2:])
