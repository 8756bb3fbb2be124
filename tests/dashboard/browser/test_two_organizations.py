"""Two operators of two organizations at once: neither browser is ever sent a word of the other, nor any key."""

from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import Page, WebSocket

from assent_dashboard.entries import ENTRIES
from tests.dashboard.browser.dashboard import Operator
from tests.live import LiveService
from tests.stories.tenant import Tenant
from tests.tiers import deep

pytestmark = deep("all pages in a browser, twice")

MORE = (
    "/ledger?view=decisions",
    "/messages?view=threads",
    "/messages?view=loops",
    "/scores?part=templates",
    "/settings?section=webhooks",
    "/settings?section=identities",
    "/settings?section=pairings",
)


def overheard(page: Page) -> list[bytes]:
    """Everything that goes over the page's sockets from now on."""
    frames: list[bytes] = []

    def keep(data: bytes | str) -> None:
        frames.append(data if isinstance(data, bytes) else data.encode())

    def listen(socket: WebSocket) -> None:
        socket.on("framereceived", keep)
        socket.on("framesent", keep)

    page.on("websocket", listen)
    return frames


def marked(tenant: Tenant, mark: str) -> None:
    """Rows of every noun, each with the mark."""
    tenant.policy(f"policy {mark}", "require_approval", {"action_types": [f"kind-{mark}"]})
    tenant.call("POST", "/api/scoring/risk-templates", {"name": f"template {mark}", "base_risk": 5})
    tenant.call("POST", "/api/webhooks", {"url": f"https://hooks.example/{mark}"})
    with tenant.client("agent", f"agent-{mark}") as agent:
        agent.create_action("look", f"goal {mark}")
        asked = agent.create_action(f"kind-{mark}", f"waits {mark}").action_id
        agent.register_open_loop(asked, "question", f"loop {mark}")
        thread = agent.create_message_thread(f"thread {mark}").thread_id
        agent.send_message(f"body {mark}", subject=f"subject {mark}", thread_id=thread)
        agent.heartbeat("online")


def test_neither_is_sent_anything_of_the_other_nor_any_key(
    new_desk: Callable[..., Operator], tenant: Tenant, page_service: LiveService
) -> None:
    other = Tenant(page_service, tenant.http)
    seats: list[tuple[Operator, list[bytes], str, str]] = []
    for each, mark in ((tenant, "mark1st"), (other, "mark2nd")):
        marked(each, mark)
        desk = new_desk()
        frames = overheard(desk.page)
        desk.sign_in(each.keys["admin"])
        desk.settle()
        seats.append((desk, frames, mark, each.keys["admin"]))
    first = next(iter(ENTRIES))
    for path in ("/", *(f"/{path}" for path in ENTRIES if path != first), *MORE):
        for desk, *_ in seats:
            desk.open(path)
        for desk, *_ in seats:
            desk.settle()
    for number, (desk, frames, mark, key) in enumerate(seats):
        sent = b"".join(frames)
        theirs = seats[1 - number]
        for noun in ("policy", "template", "goal", "waits", "loop", "thread", "subject"):
            assert f"{noun} {mark}".encode() in sent, f"the test looks at nothing: {noun} was not shown"
        assert theirs[2].encode() not in sent
        assert not [each for each in (key, theirs[3]) if each.encode() in sent]
        assert not [url for url in desk.asked if key in url]
