"""An operator among the agents' messages: one arrives by itself, a file is saved, an answer is sent."""

from __future__ import annotations

from base64 import b64encode
from pathlib import Path

from playwright.sync_api import expect

from tests.dashboard.browser.dashboard import Operator
from tests.stories.tenant import Tenant
from tests.tiers import deep

SCRIPT = b"<script>alert(1)</script>"


def test_a_message_arrives_by_itself_and_is_answered(desk: Operator, tenant: Tenant) -> None:
    desk.sign_in(tenant.keys["operator"], "/messages?agent_id=desk&unread=yes")
    desk.heading("Messages")
    desk.sees("No message fits what you chose.")
    assert desk.page.url == f"{desk.address}/messages?agent_id=desk&unread=yes"
    file = {"filename": "note.txt", "mime_type": "text/plain", "data": b64encode(SCRIPT).decode()}
    said = {"from_agent_id": "payer", "to": "desk", "subject": "Due?", "body": "Is invoice 7 due?"}
    tenant.call("POST", "/api/messages", said | {"attachments": [file]}, key="agent")
    link = desk.page.get_by_role("link", name="Due?")
    expect(link).to_be_visible()
    link.click()
    desk.sees("Is invoice 7 due?")
    expect(desk.page.locator(".st-key-messages_letter")).to_be_visible()
    desk.is_at("message_id=msg_")
    with desk.page.expect_download() as coming:
        desk.page.locator("[class*='st-key-attachment-'] button").locator("visible=true").first.click()
    assert coming.value.suggested_filename == "note.txt"
    assert Path(coming.value.path()).read_bytes() == SCRIPT
    desk.page.locator(".st-key-messages_reply button").click()
    words = desk.page.locator(".st-key-messages_words textarea")
    words.fill("It is. Pay it.")
    desk.page.locator(".st-key-messages_send button").click()
    expect(words).to_be_hidden()
    (reply,) = tenant.call("GET", "/api/messages?agent_id=payer&direction=inbox")["messages"]
    assert (reply["subject"], reply["body"]) == ("Re: Due?", "It is. Pay it.")


@deep("each page has one flow in the quick tier")
def test_an_open_loop_is_closed(desk: Operator, tenant: Tenant) -> None:
    action_id = tenant.create("look", agent_id="payer", declared_goal="Pay invoice 7")
    left = {"action_id": action_id, "loop_type": "followup", "description": "Tell Lyon", "priority": "high"}
    tenant.call("POST", "/api/actions/loops", left, key="agent")
    desk.sign_in(tenant.keys["operator"], "/messages?view=loops&status=open")
    desk.sees("Tell Lyon")
    desk.page.locator("[class*='st-key-messages_close-'] button").click()
    desk.page.locator(".st-key-messages_how textarea").fill("Told by telephone")
    desk.page.locator(".st-key-messages_resolve button").click()
    desk.sees("No loop fits what you chose.")
    (loop,) = tenant.call("GET", "/api/actions/loops")["loops"]
    assert (loop["status"], loop["resolution"]) == ("resolved", "Told by telephone")
