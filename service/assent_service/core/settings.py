"""The service's settings: one struct, read once at the start and passed down.

Each field can be given in `assent.toml` in the data folder, by its own name; those with an environment variable also
there, which wins. docs/reference/settings.md is written from here.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta, Struct

from assent.contract.prepared import prepared
from assent.contract.record import meaning
from assent.secrets import keep_out
from assent_analytics.episode_score import Weights
from assent_service.core.caller import Callers
from assent_service.core.failed_keys import PER_MINUTE
from assent_service.core.principal import check_admin_key
from assent_service.store.folder_version import check_version

DEFAULT_HOME = ".assent"
FILE = "assent.toml"

ENVIRONMENT: dict[str, str] = {
    "ASSENT_HOME": "home",
    "ASSENT_LOG": "log",
    "ASSENT_HOST": "host",
    "ASSENT_PORT": "port",
    "ASSENT_ADMIN_KEY": "admin_key",
    "ASSENT_PUBLIC_URL": "public_url",
    "ASSENT_DASHBOARD_URL": "dashboard_url",
    "ASSENT_WEBHOOK_SECRET": "webhook_secret",
    "ASSENT_WALLET_KEY": "wallet_key",
    "ASSENT_LOG_LEVEL": "log_level",
    "ASSENT_ACCESS_LOG": "access_log",
    "ASSENT_METRICS": "metrics",
    "ASSENT_MEMORY_MEGABYTES": "memory_megabytes",
    "ASSENT_PROMPT_INJECTION_SCAN": "prompt_injection_scan",
    "ASSENT_INJECTION_MODEL": "injection_model",
    "ASSENT_SELF_DECISIONS": "self_decisions",
}
"""Environment variable -> field."""

SECRETS = ("admin_key", "webhook_secret", "wallet_key")
"""Fields whose values are in nothing that the service stores, logs or answers with."""

Port = Annotated[int, Meta(ge=0, le=65535)]
Hours = Annotated[float, Meta(gt=0, le=8760)]
Minutes = Annotated[float, Meta(gt=0, le=10_080)]
Seconds = Annotated[float, Meta(gt=0, le=3600)]
Days = Annotated[float, Meta(gt=0, le=3660)]


Level = Annotated[float, Meta(ge=0, le=1_000_000)]


class Levels(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A signal is amber from the one, and red from the other. Both have to be given."""

    amber: Level
    red: Level

    def __post_init__(self) -> None:
        if self.red < self.amber:
            raise ValueError(f"red is {self.red:g}, below amber, which is {self.amber:g}")


class Thresholds(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Counts: `autonomy_spike` and `repeated_failures` are exceeded, `assumption_drift` is reached. `high_impact` is a
    risk that is reached. The others are times that are exceeded: hours for loops and running actions, days for
    assumptions, minutes for silent agents."""

    autonomy_spike: Annotated[Levels, meaning("more actions than this of one agent within an hour")] = Levels(
        amber=10, red=20
    )
    high_impact: Annotated[
        Levels, meaning("risk from there on, of a running and irreversible action without `authorization_scope`")
    ] = Levels(amber=70, red=90)
    repeated_failures: Annotated[Levels, meaning("more failures than this of one agent within a day")] = Levels(
        amber=3, red=5
    )
    stale_loop_hours: Annotated[Levels, meaning("an open loop that is older")] = Levels(amber=48, red=96)
    assumption_drift: Annotated[
        Levels, meaning("so many assumptions of one agent that turned out wrong within seven days")
    ] = Levels(amber=2, red=4)
    stale_assumption_days: Annotated[Levels, meaning("an assumption that nobody has looked at for longer")] = Levels(
        amber=14, red=30
    )
    stale_running_hours: Annotated[Levels, meaning("an action that runs for longer")] = Levels(amber=4, red=24)
    agent_silent_minutes: Annotated[
        float,
        Meta(gt=0, le=10_080),
        meaning("an agent with heartbeats that is silent for longer; red while it is at a task"),
    ] = 10.0


class SettingsError(ValueError):
    """A setting that cannot be used; the message names it, its value and what is allowed."""


class Settings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`home` is the data folder. `port` 0 takes any free one. Without `signals` every threshold is as published,
    without `episodes` every weight of an episode's score."""

    home: Annotated[str, meaning("the data folder: log, tables, admin key")] = DEFAULT_HOME
    log: Annotated[
        str,
        Meta(pattern=r"^(files|postgres(ql)?://[^\s]+)(?!\n)$"),
        meaning(
            "where the evidence log is: `files` in the data folder, or a PostgreSQL database that several services "
            "share, as `postgresql://user@host/name`; the data folder is a copy of it then, and `wallet_key` is needed"
        ),
    ] = "files"
    host: Annotated[
        str,
        meaning("where to listen; anything but loopback needs a proxy with TLS before it"),
    ] = "127.0.0.1"
    port: Annotated[Port, meaning("the port; 0 takes a free one")] = 8484
    admin_key: Annotated[
        str | None,
        meaning(
            "the admin key of the first start, 32 characters or more; without it one is made and kept in "
            "`admin.key` (0600)"
        ),
    ] = None
    public_url: Annotated[
        Annotated[str, Meta(pattern=r"^https?://[^\s/?#@]+(?!\n)$")] | None,
        meaning(
            "the address under which others reach the service, such as `https://assent.example.invalid`, for the "
            "addresses that it names; without it they begin with where it listens, or the loopback name of the request"
        ),
    ] = None
    dashboard_url: Annotated[str, meaning("where `/replay/{action_id}` and the links of notices lead")] = (
        "http://127.0.0.1:8485"
    )
    approval_hours: Annotated[Hours, meaning("how long an operator has before an approval expires")] = 24.0
    approval_warning_minutes: Annotated[
        float,
        Meta(ge=0, le=10_080),
        meaning(
            "how long before an approval expires `approval.expiring` tells so, of those that were given twice as long; "
            "0 never"
        ),
    ] = 30.0
    pairing_minutes: Annotated[Minutes, meaning("how long an admin has before a pairing expires")] = 15.0
    require_signatures: Annotated[
        bool,
        meaning("whether live actions of agents that have been paired must be signed"),
    ] = False
    self_decisions: Annotated[
        Literal["mark", "refuse"],
        meaning(
            "what becomes of a decision by the key that opened the action itself: `mark` lets it through, "
            "marked `self_decided` wherever it is told; `refuse` answers 403 `self_approval`"
        ),
    ] = "mark"
    agent_offline_minutes: Annotated[Minutes, meaning("how long an agent may be unheard of and count as online")] = 10.0
    presence_minutes: Annotated[Minutes, meaning("how often it is recorded that an agent is still there")] = 5.0
    presence_write_seconds: Annotated[
        Seconds,
        meaning("the shortest time between two such records, of whichever agents"),
    ] = 5.0
    heartbeat_seconds: Annotated[Seconds, meaning("silence on the live stream before a heartbeat")] = 15.0
    stream_queue: Annotated[
        int,
        Meta(ge=10, le=100_000),
        meaning("events that a slow reader of the stream may be behind"),
    ] = 1000
    head_seconds: Annotated[
        Seconds,
        meaning("how often a tree head is signed while the log grows, without anybody asking"),
    ] = 300.0
    log_origin: Annotated[
        str,
        Meta(pattern=r"^[!-*,-~]{1,128}(?!\n)$"),
        meaning(
            "the beginning of each log's name in signed tree heads (`<log_origin>/<organization>`): your host "
            "name, so that no two services' logs share a name"
        ),
    ] = "assent.local"
    segment_megabytes: Annotated[int, Meta(ge=1, le=4096), meaning("size of one file of the evidence log")] = 64
    memory_megabytes: Annotated[
        int,
        Meta(ge=64, le=1_000_000),
        meaning(
            "what the service's memory of actions, decisions, histories and approvals is sized for; what no "
            "longer fits is looked up in the tables"
        ),
    ] = 1024
    webhook_secret: Annotated[
        str | None,
        meaning("signs what `webhook_check` policies send (Standard Webhooks)"),
    ] = None
    webhooks_to_private_addresses: Annotated[
        bool,
        meaning("lets `webhook_check` reach private addresses; for tests"),
    ] = False
    wallet_key: Annotated[
        str | None,
        meaning(
            "what private signing keys are encrypted with at rest: 32 bytes in base64; without it one is made "
            "and kept in `wallet.key` (0600)"
        ),
    ] = None
    signing_key_days: Annotated[Days, meaning("how long a signing key signs before the next one is made")] = 365.0
    verify_hours: Annotated[
        float,
        Meta(ge=0, le=8760),
        meaning(
            "how often the service verifies its whole log in the background; 0: only the digests of sealed "
            "files, after a start"
        ),
    ] = 24.0
    log_level: Annotated[
        str,
        Meta(pattern=r"(?i)^(debug|info|warning|error|critical)(?!\n)$"),
        meaning(
            "of the service's own log, which never holds bodies or keys: `debug`, `info`, `warning`, `error` or "
            "`critical`"
        ),
    ] = "info"
    access_log: Annotated[
        str,
        Meta(min_length=1),
        meaning("one line of JSON for each request: a file, `stderr` or `off`"),
    ] = "off"
    metrics: Annotated[
        Literal["key", "open", "off"],
        meaning(
            "who may read `/metrics`: `key`, auditors and admins of the first organization; `open`, everybody "
            "who reaches it; `off`"
        ),
    ] = "key"
    prompt_injection_scan: Annotated[
        Literal["block", "warn", "off"],
        meaning(
            "what guard does with a prompt injection: `block`, only `warn`, or `off`, which also scans no "
            "messages, handoffs and assumptions (the published server's `DISABLE_PROMPT_INJECTION_SCAN=true`)"
        ),
    ] = "block"
    injection_model: Annotated[
        Annotated[str, Meta(min_length=1)] | None,
        meaning(
            "a folder with an ONNX classifier that the scan asks beside its rules (`model.onnx`, `tokenizer.json`, "
            "`labels.json`; extra `classifier`); without it there is none"
        ),
    ] = None
    signals: Annotated[
        Thresholds | None,
        meaning("from when on something is a signal; without it every threshold is as below"),
    ] = None
    episodes: Annotated[
        Weights | None,
        meaning(
            "weights of an episode's score, such as `failed = -50` in the table `[episodes]`; without it every "
            "weight is as published"
        ),
    ] = None
    drift_false_alarms: Annotated[
        float,
        Meta(ge=1e-12, le=0.5),
        meaning(
            "how probable a drift alert of a stream that does not change may be, however long it runs: a hint if its "
            "values are independent, an established one if its sessions are"
        ),
    ] = 0.01
    trusted_proxies: Annotated[
        tuple[str, ...],
        meaning(
            'addresses and networks of proxies whose `X-Forwarded-For` says who calls (`["127.0.0.1", '
            '"10.0.0.0/8"]`); none: the peer is the caller'
        ),
    ] = ()
    failed_keys_per_minute: Annotated[
        int,
        Meta(ge=1, le=1_000_000),
        meaning(
            "requests with a key that is not valid that each address may send in a minute, all together four "
            "times as many; then 429. A valid key is always let through"
        ),
    ] = PER_MINUTE
    analytics_at_once: Annotated[
        int,
        Meta(ge=1, le=64),
        meaning("analyses (statistics, backtests, comparisons) that take their rows at the same time; others wait"),
    ] = 2
    analytics_seconds: Annotated[
        Seconds, meaning("how long one query of an analysis may take; more is 422 `analysis_too_large`")
    ] = 60.0
    analytics_megabytes: Annotated[
        int,
        Meta(ge=1, le=1_000_000),
        meaning("how much the rows of one query of an analysis may be in memory; more is 422 `analysis_too_large`"),
    ] = 2048
    header_kilobytes: Annotated[
        int,
        Meta(ge=4, le=1024),
        meaning("the largest request line and header together; more is 431"),
    ] = 64
    header_fields: Annotated[int, Meta(ge=10, le=1000), meaning("the most fields of a header; more is 431")] = 100
    header_seconds: Annotated[Seconds, meaning("how long a header may take to come; then 408")] = 10.0
    body_seconds: Annotated[Seconds, meaning("how long nothing of a body may come; then 408")] = 30.0
    body_megabytes: Annotated[
        float,
        Meta(ge=0.01, le=50),
        meaning(
            "the largest body, except where an operation has a limit of its own (imports, bundles, "
            "attachments); more is 413"
        ),
    ] = 1.0
    keep_alive_seconds: Annotated[
        Seconds,
        meaning(
            "how long a connection stays open on which nothing goes on; more than a proxy before the service keeps it"
        ),
    ] = 75.0
    connections: Annotated[
        int,
        Meta(ge=16, le=1_000_000),
        meaning(
            "the most connections at once, as far as the system's limit of open files allows; a fifth of them "
            "for addresses that lately sent a valid key"
        ),
    ] = 10_000
    connections_per_address: Annotated[
        int,
        Meta(ge=1, le=1_000_000),
        meaning("the most connections from one address (IPv6: one /64), those of trusted proxies aside"),
    ] = 2_000

    def __post_init__(self) -> None:
        if self.admin_key is not None:
            check_admin_key(self.admin_key)
        for entry in self.trusted_proxies:
            try:
                Callers([entry])
            except ValueError as error:
                raise ValueError(
                    f"trusted_proxies: {entry!r} is not an IP address or network ({error}); "
                    'write such as ["127.0.0.1", "10.0.0.0/8"]'
                ) from error

    def __repr__(self) -> str:
        return f"Settings(home={self.home!r}, host={self.host!r}, port={self.port})"


def load(environment: Mapping[str, str], **given: Any) -> Settings:
    """Settings from the file in the data folder, the environment over it, and what was `given` over both.

    Raises `SettingsError`, and `FolderVersionUnknown` where they are those of a newer version.
    """
    found: dict[str, Any] = {field: environment[name] for name, field in ENVIRONMENT.items() if environment.get(name)}
    chosen = found | {name: value for name, value in given.items() if value is not None}
    home = Path(str(chosen.get("home", DEFAULT_HOME)))
    members = _from_file(home / FILE) | chosen
    keep_out(value for name in SECRETS if isinstance(value := members.get(name), str))
    try:
        return msgspec.convert(members, prepared(Settings), strict=False)
    except msgspec.ValidationError as error:
        check_version(home)
        raise SettingsError(
            f"The settings cannot be used: {error}. docs/reference/settings.md says what each may be."
        ) from error


def _from_file(file: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SettingsError(f"{file} is not TOML: {error}.") from error
