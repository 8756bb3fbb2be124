"""The page about proxies fits the service: its settings can be used, and the proxies' limits go with the service's."""

from __future__ import annotations

import re
import tomllib

import msgspec

from assent.contract.operations import ENDPOINTS
from assent_dashboard.serve import KEEP_ALIVE_SECONDS
from assent_service.core.settings import Settings
from tests.docs.blocks import blocks
from tests.docs.site import DOCS

TEXT = (DOCS / "how-to" / "put-nginx-before-it.md").read_text(encoding="utf-8")
BLOCKS = {block.language: block.code for block in blocks(TEXT)}
SECONDS = {"s": 1, "m": 60, "h": 3600}


def figure(language: str, name: str) -> float:
    """A time in seconds or a size in bytes, as the proxy's configuration says it behind a name."""
    (found,) = re.findall(rf"^\s*{name}\s+(\d+)(s|m|h|MB|KB)\b", BLOCKS[language], re.MULTILINE)
    number, unit = int(found[0]), found[1]
    if unit in ("MB", "KB") or name.endswith("_size"):
        return number * (1_000 if unit == "KB" else 1_000_000)
    return number * SECONDS[unit]


def test_the_service_takes_the_settings() -> None:
    settings = msgspec.convert(tomllib.loads(BLOCKS["toml"]), Settings)
    assert settings.trusted_proxies == ("127.0.0.1", "::1")


def test_a_proxy_ends_a_connection_at_rest_before_the_service_does() -> None:
    assert figure("nginx", "keepalive_timeout") < Settings().keep_alive_seconds
    assert figure("caddy", "keepalive") < Settings().keep_alive_seconds


def test_the_dashboard_keeps_a_connection_at_rest_as_long_as_the_service() -> None:
    assert Settings().keep_alive_seconds == KEEP_ALIVE_SECONDS


def test_a_proxy_waits_longer_than_the_stream_is_silent() -> None:
    assert figure("nginx", "proxy_read_timeout") > Settings().heartbeat_seconds
    assert figure("caddy", "read_timeout") > Settings().heartbeat_seconds


def test_a_proxy_lets_the_largest_body_through() -> None:
    largest = max(endpoint.limit for endpoint in ENDPOINTS)
    assert figure("nginx", "client_max_body_size") >= largest
    assert figure("caddy", "max_size") >= largest
