"""The service's settings: one struct, read once at the start and passed down.

Each field can be given in `assent.toml` in the data folder, by its own name; those with an environment variable also
there, which wins. The README's table says the same, which a test holds.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from assent.contract.prepared import prepared
from assent_analytics.episode_score import Weights
from assent_service.core.thresholds import Thresholds

DEFAULT_HOME = ".assent"
FILE = "assent.toml"

ENVIRONMENT: dict[str, str] = {
    "ASSENT_HOME": "home",
    "ASSENT_HOST": "host",
    "ASSENT_PORT": "port",
    "ASSENT_ADMIN_KEY": "admin_key",
    "ASSENT_DASHBOARD_URL": "dashboard_url",
    "ASSENT_WEBHOOK_SECRET": "webhook_secret",
    "ASSENT_WALLET_KEY": "wallet_key",
    "ASSENT_LOG_LEVEL": "log_level",
    "ASSENT_ACCESS_LOG": "access_log",
    "ASSENT_METRICS": "metrics",
    "ASSENT_PROMPT_INJECTION_SCAN": "prompt_injection_scan",
}
"""Environment variable -> field."""

Port = Annotated[int, Meta(ge=0, le=65535)]
Hours = Annotated[float, Meta(gt=0, le=8760)]
Minutes = Annotated[float, Meta(gt=0, le=10_080)]
Seconds = Annotated[float, Meta(gt=0, le=3600)]
Days = Annotated[float, Meta(gt=0, le=3660)]


class SettingsError(ValueError):
    """A setting that cannot be used; the message names it, its value and what is allowed."""


class Settings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`home` is the data folder. `port` 0 takes any free one. Without `signals` every threshold is as published,
    without `episodes` every weight of an episode's score."""

    home: str = DEFAULT_HOME
    host: str = "127.0.0.1"
    port: Port = 8484
    admin_key: str | None = None
    dashboard_url: str = "http://127.0.0.1:8485"
    approval_hours: Hours = 24.0
    pairing_minutes: Minutes = 15.0
    require_signatures: bool = False
    agent_offline_minutes: Minutes = 10.0
    presence_minutes: Minutes = 5.0
    presence_write_seconds: Seconds = 5.0
    heartbeat_seconds: Seconds = 15.0
    stream_queue: Annotated[int, Meta(ge=10, le=100_000)] = 1000
    head_seconds: Seconds = 300.0
    log_origin: Annotated[str, Meta(pattern=r"^[!-*,-~]{1,128}(?!\n)$")] = "assent.local"
    segment_megabytes: Annotated[int, Meta(ge=1, le=4096)] = 64
    webhook_secret: str | None = None
    webhooks_to_private_addresses: bool = False
    wallet_key: str | None = None
    signing_key_days: Days = 365.0
    verify_hours: Annotated[float, Meta(ge=0, le=8760)] = 24.0
    log_level: str = "info"
    access_log: Annotated[str, Meta(min_length=1)] = "off"
    metrics: Literal["key", "open", "off"] = "key"
    prompt_injection_scan: Literal["block", "warn", "off"] = "block"
    signals: Thresholds | None = None
    episodes: Weights | None = None
    drift_false_alarms: Annotated[float, Meta(ge=1e-12, le=0.5)] = 0.01

    def __repr__(self) -> str:
        return f"Settings(home={self.home!r}, host={self.host!r}, port={self.port})"


def load(environment: Mapping[str, str], **given: Any) -> Settings:
    """Settings from the file in the data folder, the environment over it, and what was `given` over both.

    Raises `SettingsError`.
    """
    found: dict[str, Any] = {field: environment[name] for name, field in ENVIRONMENT.items() if environment.get(name)}
    chosen = found | {name: value for name, value in given.items() if value is not None}
    home = Path(str(chosen.get("home", DEFAULT_HOME)))
    members = _from_file(home / FILE) | chosen
    try:
        return msgspec.convert(members, prepared(Settings), strict=False)
    except msgspec.ValidationError as error:
        raise SettingsError(
            f"The settings cannot be used: {error}. See the table of settings in the README."
        ) from error


def _from_file(file: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SettingsError(f"{file} is not TOML: {error}.") from error
