"""What is asked of the service: whether it answers, who the key is, whether the clocks agree, whether the log's head
holds, and whether its dashboard is there. Each check is a finding, whatever goes wrong."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from importlib.metadata import version
from urllib.parse import urlsplit

from assent import Client
from assent.cli.doctor.finding import CheckResult, failed, passed, skipped, warned
from assent.cli.session import is_local
from assent.cli.text import clean
from assent.contract.evidence.log import LogHead
from assent.contract.evidence.wallet import Jwks
from assent.contract.health import Health
from assent.contract.people.keys import Key
from assent.contract.roles import READING

SKEW = timedelta(seconds=5)
PATIENCE = 5.0
"""Seconds for which an answer is waited for."""


def check_service(client: Client, base_url: str) -> tuple[CheckResult, Health | None, datetime]:
    """Whether it answers; its own word, and our time in the middle of asking."""
    from assent.errors import ApiError, AssentError, ConnectionFailed

    name, before = "service", time.time()
    try:
        health = client.health()
    except ConnectionFailed as error:
        here = "run `assent serve` (or `assent start`, with the dashboard)" if is_local(base_url) else "start it there"
        todo = f"{here}; if it listens elsewhere, give its address with --base-url or ASSENT_BASE_URL"
        return failed(name, f"Nothing answers at {base_url} ({clean(error.reason)}).", todo), None, _now()
    except ApiError as error:
        todo = "give the address of an Assent service with --base-url or ASSENT_BASE_URL"
        return failed(name, f"What answers at {base_url} is not Assent ({error.status}).", todo), None, _now()
    except AssentError as error:
        return failed(name, clean(error), "check --base-url and ASSENT_BASE_URL"), None, _now()
    after, own = time.time(), version("assent")
    middle = datetime.fromtimestamp((before + after) / 2, UTC)
    said = f"Assent {clean(health.version)} answers at {base_url} after {(after - before) * 1000:.0f} ms"
    if health.version != own:
        todo = "install the same version on both sides when you can"
        return warned(name, f"{said}; this command is of version {own}.", todo), health, middle
    return passed(name, f"{said}."), health, middle


def check_clock(health: Health | None, here: datetime) -> CheckResult:
    """`here` is this machine's time in the middle of the request that was answered with `health`."""
    if health is None:
        return skipped("clock", "No service answers, so there is no other clock to compare with.")
    skew = here - health.time
    apart = abs(skew.total_seconds())
    if abs(skew) <= SKEW:
        return passed("clock", f"This machine and the service agree to {apart:.1f} s.")
    which = "ahead of" if skew > timedelta(0) else "behind"
    todo = "set the clocks right (NTP) on whichever machine is wrong"
    return warned("clock", f"This machine's clock is {apart:.0f} s {which} the service's.", todo)


def check_key(client: Client, source: str) -> tuple[CheckResult, Key | None]:
    """`source` says where the key is from."""
    from assent.errors import AssentError, Unauthorized

    try:
        key = client.get_own_key()
    except Unauthorized:
        todo = "give one that is: an admin makes it with `assent keys create`; or --home with the service's own folder"
        return failed("key", f"The key {source} is not known to this service, or was revoked.", todo), None
    except AssentError as error:
        return failed("key", f"The key {source} could not be tried: {clean(error)}", "settle the service first"), None
    said = f"{clean(key.name)} ({source}), of role {key.role}, organization {clean(key.org_id)}"
    if not may_read(key):
        left_out = "it is valid; log and workspace are not looked at, which an operator's, auditor's or admin's key can"
        return passed("key", f"{said}: {left_out}."), key
    return passed("key", f"{said}."), key


def may_read(key: Key) -> bool:
    """Whether it may read the log's head and the workspace's state."""
    return key.role in READING


def check_log(client: Client, key: Key) -> CheckResult:
    """The newest signed head, verified here with the organization's published keys."""
    from assent.errors import AssentError

    try:
        head, jwks = client.get_log_head(), client.get_jwks(key.org_id)
    except AssentError as error:
        return failed("log", f"The log's head cannot be had: {clean(error)}", "read the service's log")
    return judge_head(head, jwks)


def judge_head(head: LogHead, jwks: Jwks) -> CheckResult:
    """Whether the head is signed by a published key, and says what the answer says."""
    from assent.proof.jwk import JwkError, load_jwk
    from assent.proof.note import NoteError, verify_checkpoint

    published = next((each for each in jwks.keys if each.kid == head.kid), None)
    todo = "run `assent log verify` on the service's machine, and keep the head that it gave: assent log verify --head"
    if published is None:
        return failed("log", f"The log's head is signed with the key {head.kid}, which is not published.", todo)
    try:
        checkpoint = verify_checkpoint(head.checkpoint, load_jwk(published))
    except (JwkError, NoteError) as error:
        return failed("log", f"The log's signed head does not hold: {clean(error)}", todo)
    if (checkpoint.size, checkpoint.root.hex()) != (head.size, head.root):
        return failed("log", "The log's signed head says something else than the answer around it.", todo)
    at = f"{head.signed_at:%Y-%m-%d %H:%M:%S} UTC"
    return passed("log", f"Its head of {head.size} events, signed {at}, verifies with the published key.")


Fetch = Callable[[str], tuple[int, str | None]]
"""Status and `Location` of a GET without any key; raises OSError when nobody answers."""


def check_dashboard(base_url: str, fetch: Fetch) -> CheckResult:
    """The service says where its dashboard is: that is where its replay links lead."""
    name = "dashboard"
    try:
        _, location = fetch(f"{base_url.rstrip('/')}/replay/doctor")
    except OSError:
        location = None
    parts = urlsplit(location or "")
    if parts.scheme not in ("http", "https") or not parts.netloc:
        return skipped(name, "The service does not say where its dashboard is.")
    address = f"{parts.scheme}://{parts.netloc}"
    try:
        status, _ = fetch(f"{address}/")
    except OSError:
        here = "run `assent dashboard` beside the service" if is_local(address) else "start it there"
        todo = f"{here}, or set ASSENT_DASHBOARD_URL of the service to where it is"
        return warned(name, f"Replay links lead to {clean(address)}, where nothing answers.", todo)
    if status >= 500:
        return warned(name, f"{clean(address)} answers with {status}.", "read the dashboard's log")
    return passed(name, f"{clean(address)} answers.")


def fetch_page(url: str) -> tuple[int, str | None]:
    import httpx

    try:
        answer = httpx.get(url, timeout=PATIENCE, follow_redirects=False)
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        raise OSError(str(error)) from error
    return answer.status_code, answer.headers.get("location")


def _now() -> datetime:
    return datetime.now(UTC)
