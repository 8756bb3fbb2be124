"""Sending to an address that somebody else chose, without it leading anywhere it must not.

The rules, for guard's `webhook_check` policies and for webhooks alike:

- https only, redirects are not followed, no proxies, no cookies, answers come uncompressed;
- the host is resolved and checked for every call, and the connection goes to a checked address, while the certificate
  is still checked against the host's name. No connection is kept: the pool knows connections by address only, and
  would hand one that was checked for this host to another host at the same address;
- requests are signed as Standard Webhooks 1.0.0 has it.

What failed is told without resolved addresses and without anything that was received: it reaches people who may not
know either. Nor does the log get to know where requests lead, since the paths of many receivers are secrets.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import logging
import ssl
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from functools import cache
from http.cookiejar import CookieJar, DefaultCookiePolicy

import httpx

from assent_service.core.addresses import PrivateAddress, UnresolvedHost, resolve, resolve_public


class Unreachable(Exception):  # what failed is its text
    """A request that got no answer; the text goes on from "it" or "its"."""


@cache
def public_authorities() -> ssl.SSLContext:
    """Whom everybody trusts. Reading them takes as long as a fifth of the rest of a start."""
    return httpx.create_ssl_context(trust_env=False)


def open_client(verify: ssl.SSLContext | None = None) -> httpx.AsyncClient:
    """The client to share between calls and to close with the service. `verify` is the TLS trust; None means the
    public authorities."""
    for library in ("httpx", "httpcore"):  # one tells every url at level info, the other all headers at debug
        logging.getLogger(library).setLevel(logging.WARNING)
    return httpx.AsyncClient(
        verify=verify or public_authorities(),
        trust_env=False,
        follow_redirects=False,
        timeout=60,  # above every caller's own deadline, which counts
        limits=httpx.Limits(max_connections=256, max_keepalive_connections=0),
        # Receivers of different organizations may sit at one address: none may leave anything for the next.
        cookies=CookieJar(DefaultCookiePolicy(allowed_domains=())),
    )


def sign(secret: bytes, message_id: str, timestamp: int, body: bytes) -> str:
    """One signature of Standard Webhooks 1.0.0; `timestamp` is in seconds since 1970."""
    signed = f"{message_id}.{timestamp}.".encode() + body
    return "v1," + base64.b64encode(hmac.digest(secret, signed, hashlib.sha256)).decode()


def headers_of(message_id: str, timestamp: int, body: bytes, secrets: Sequence[bytes]) -> dict[str, str]:
    """What a request carries, with one signature for each of `secrets`."""
    headers = {
        "content-type": "application/json",
        "accept": "application/json",
        "accept-encoding": "identity",  # limits count the bytes that are read
        "connection": "close",
        "user-agent": "assent-webhook/1",
        "webhook-id": message_id,
        "webhook-timestamp": str(timestamp),
    }
    if secrets:
        headers["webhook-signature"] = " ".join(sign(secret, message_id, timestamp, body) for secret in secrets)
    return headers


@asynccontextmanager
async def post(
    client: httpx.AsyncClient,
    url_text: str,
    body: bytes,
    headers: dict[str, str],
    *,
    allow_private: bool = False,
    allow_plain: bool = False,
) -> AsyncGenerator[httpx.Response]:
    """The answer of the first address that takes the connection, its body still to be read within the block.

    Raises Unreachable, also for what breaks off within the block. Put a timeout around it.
    """
    try:
        response = await _send(client, url_text, body, headers, allow_private, allow_plain)
        try:
            yield response
        finally:
            await response.aclose()
    except PrivateAddress as refused:
        raise Unreachable(f"its host {refused.host} is at an address that is not public ({refused.kind})") from None
    except UnresolvedHost as unknown:
        raise Unreachable(f"its host {unknown.host} could not be resolved") from None
    except httpx.InvalidURL:
        raise Unreachable("its url cannot be parsed") from None
    except httpx.ConnectError as error:
        raise Unreachable(f"connecting failed: {error}") from None
    except TimeoutError:
        raise
    except (httpx.HTTPError, OSError) as error:
        # The type only: messages of the HTTP parser quote what was received.
        raise Unreachable(f"the connection broke off ({type(error).__name__})") from None


async def _send(
    client: httpx.AsyncClient,
    url_text: str,
    body: bytes,
    headers: dict[str, str],
    allow_private: bool,
    allow_plain: bool,
) -> httpx.Response:
    url = httpx.URL(url_text)
    plain = allow_plain and url.scheme == "http"
    host, port = url.raw_host.decode("ascii"), url.port
    if url.scheme != "https" and not plain:
        raise Unreachable(f"its url must start with https, not {url.scheme or 'without a scheme'}")
    if port is None:
        port = 80 if plain else 443
    if not host or not 0 < port < 65536:
        raise Unreachable("its url names no valid host and port")
    addresses = await (resolve if allow_private else resolve_public)(host, port)
    headers = {**headers, "host": url.netloc.decode("ascii")}
    for address in addresses[:-1]:
        try:
            return await _send_to(url.copy_with(host=address), host, body, headers, client)
        except httpx.ConnectError:
            continue  # nothing was sent: the next address is not a second try
    return await _send_to(url.copy_with(host=addresses[-1]), host, body, headers, client)


async def _send_to(
    url: httpx.URL, host: str, body: bytes, headers: dict[str, str], client: httpx.AsyncClient
) -> httpx.Response:
    """Send to the address in `url`, with a certificate for `host` required."""
    request = client.build_request("POST", url, content=body, headers=headers, extensions={"sni_hostname": host})
    return await client.send(request, stream=True, follow_redirects=False)
