"""What tools and arguments are by their names, and what a house says better. Names here are of no data set. Pure."""

from __future__ import annotations

import pytest
import yaml

from assent.contract.control.flows import flow_call
from assent.flows import FlowPackError, Tool, read_pack, shipped_pack
from assent.flows.pack import Effect, fits_one, pattern_of, split_name

PACK = shipped_pack()


@pytest.mark.parametrize(
    ("name", "arguments", "effect", "answers"),
    [
        ("getInvoice", ["invoice_id"], "read", "data"),
        ("mcp__crm__list_contacts", [], "read", "data"),
        ("functions.SearchDocuments", ["query", "path"], "read", "data"),
        ("open_document", ["path"], "read", "document"),
        ("browser.open", ["url"], "read", "page"),
        ("HTTPGet", ["uri"], "read", "page"),
        ("tickets_reply", ["ticket_id", "text"], "send", "data"),
        ("email_search", ["query"], "read", "data"),
        ("email_customer", ["to", "body"], "send", "data"),
        ("share-folder", ["folder", "with"], "send", "data"),
        ("calendar.create_event", ["start"], "write", "data"),
        ("run_shell", ["command"], "write", "data"),
        ("purge_backups", [], "destroy", "data"),
        ("users/deactivate", ["id"], "destroy", "data"),
        ("calculate_tax", ["amount"], "none", "data"),
    ],
)
def test_a_tool_is_what_its_first_verb_says(name: str, arguments: list[str], effect: str, answers: str) -> None:
    found = PACK.tool(name, arguments)
    assert (found.effect, found.answers, found.sure) == (effect, answers, True)


@pytest.mark.parametrize(
    "name",
    [
        *["frobnicate", "", "x" * 10_000, "__", "mcp__", "données", "payroll"],
        # What one looks at by its name, and what does something (0366).
        *[
            "documents",
            "patient_card",
            "withdrawals",
            "cancellations",
            "end_contracts",
            "file_claims",
            "открыть_documents",
        ],
    ],
)
def test_a_name_without_a_verb_is_a_write_and_unsure(name: str) -> None:
    found = PACK.tool(name)
    assert (found.effect, found.sure) == ("write", False)


def test_reading_what_people_guard_puts_labels_on() -> None:
    assert PACK.tool("get_patient_record", ["id"]).labels == ("customer_data",)
    assert PACK.tool("read_env", ["secret_name"]).labels == ("secret_read",)
    assert PACK.tool("create_customer", ["name"]).labels == ()


@pytest.mark.parametrize(
    ("path", "value", "role"),
    [
        (("to",), "a@b.cc", "destination"),
        (("forward_to",), "a@b.cc", "destination"),
        (("phoneNumber",), "079", "destination"),
        (("phone_number",), 41791234567, "destination"),
        (("account",), 12, "destination"),
        (("guests",), 3, "amount"),
        (("recipients", "email"), "a@b.cc", "destination"),
        (("api_key",), "x", "credential"),
        (("new_password",), "x", "credential"),
        (("token",), 1234, "credential"),
        (("message_id",), "m1", "reference"),
        (("id",), 7, "reference"),
        (("amount",), 7.5, "amount"),
        (("quantity_kg",), 7, "amount"),
        (("weight",), 7, "amount"),
        (("start_time",), "soon", "time"),
        (("slot",), "2026-05-01", "time"),
        (("slot",), "2026-05-01T10:00:00Z", "time"),
        (("slot",), "May", "other"),
        (("email_body",), "Hi", "payload"),
        (("subject",), "Hi", "payload"),
        (("urgent",), True, "boolean"),
        (("file_path",), "a.txt", "target"),
        (("cabin",), "economy", "other"),
        (("attendees", "required", "name"), "Dora", "destination"),
        (("recipient", "Name"), "Dora", "destination"),
        (("users", "names"), "Dora", "destination"),
        (("user", "company_name"), "Ours", "reference"),
        (("file", "name"), "a", "reference"),
        (("token", "name"), "deploy", "reference"),
        (("name",), "a", "reference"),
        ((), "x", "other"),
    ],
)
def test_the_role_of_an_argument(path: tuple[str, ...], value: object, role: str) -> None:
    assert PACK.role(path, value, Tool("write", "data")) == role


def test_a_value_that_the_schema_lists_is_a_choice() -> None:
    schema = {"type": "string", "enum": ["economy", "business"]}
    assert PACK.role(("cabin",), "economy", Tool("write", "data"), schema) == "choice"
    assert PACK.role(("cabin",), "first", Tool("write", "data"), schema) == "other"


def test_names_are_split_in_every_usual_writing() -> None:
    assert split_name("getHTTPResponse2xx-now_or.never") == ["get", "http", "response", "2xx", "now", "or", "never"]


HOUSE = """
tools:
  ledger_dump: {effect: read, answers: trusted}
  pay_out: {effect: send, arguments: {to_whom: destination, remark: payload}}
  crm_lookup: {labels: [customer_data]}
labels: [salaries]
rules: {page_links: false}
"""


def test_ten_lines_say_better_what_the_houses_tools_are() -> None:
    pack = read_pack(yaml.safe_load(HOUSE))
    assert pack.tool("ledger_dump") == Tool("read", "trusted", said=True)
    assert pack.tool("crm_lookup", ["id"]) == Tool("read", "data", ("customer_data",))
    paid = pack.tool("pay_out", ["to_whom"])
    assert (paid.effect, pack.role(("to_whom",), "x", paid), pack.role(("remark",), "x", paid)) == (
        "send",
        "destination",
        "payload",
    )
    assert pack.tool("get_invoice") == PACK.tool("get_invoice")
    assert (pack.rules.page_links, pack.rules.conflict) == (False, True)
    assert {"salaries", "customer_data", "untrusted_seen"} <= pack.labels
    assert read_pack(None) is PACK


@pytest.mark.parametrize("effect", ["read", "none"])
def test_a_pattern_that_reads_leaves_tools_alone_that_act_by_their_names(effect: Effect) -> None:
    """Tools that a house gets later, too: whoever writes a pattern thinks of those that they know."""
    pack = read_pack(
        {
            "tools": {
                "ledger_*": {
                    "effect": effect,
                    "answers": "trusted",
                    "labels": ["ours"],
                    "arguments": {"iban": "destination"},
                },
                "ledger_post_list": {"effect": effect},
            }
        }
    )
    does: dict[str, Effect] = {
        "ledger_transfer": "send",
        "ledger_delete": "destroy",
        "LEDGER_UPDATE": "write",
        "ledger_find_and_remove": "destroy",
        "ledger_post": "send",
        "ledger_open": "write",
    }
    for name, own in does.items():
        assert pack.tool(name) == Tool(own, "trusted", ("ours",), (("iban", "destination"),)), name
        assert pack.quiet_pattern(name) == "ledger_*"
        assert pack.answers_said(name) == "trusted"
    for name in ("ledger_dump", "ledger_balance", "ledger_get_order"):
        assert pack.tool(name).effect == effect, name
        assert pack.tool(name).said
        assert pack.quiet_pattern(name) is None
    named = pack.tool("ledger_post_list")
    assert (named.effect, named.answers, named.said) == (effect, "data", True), (
        "it is named in full, behind the pattern"
    )
    loud = read_pack({"tools": {"ledger_*": {"effect": "write"}, "*": {"effect": effect}}})
    assert loud.tool("ledger_delete").effect == "write", "only patterns that say to read are looked at"
    assert loud.tool("wipe_all").effect == "destroy"


def test_a_pattern_of_one_name_is_that_name() -> None:
    for name in ("x", "a[b]", "x*", "delete?[!]", "[[]"):
        assert fits_one(pattern_of(name)), name
        assert read_pack({"tools": {pattern_of(name): {"effect": "read"}}}).tool(name).effect == "read"
    for pattern in ("x*", "x?", "[ab]", "delete_[a]", "[!]x]", "x[[*]"):
        assert not fits_one(pattern), pattern


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("[]", "pack"),
        ("{tool: {}}", "pack"),
        ("{tools: [a]}", "tools"),
        ("{tools: {a: send}}", "tools.a"),
        ("{tools: {a: {effect: sending}}}", "tools.a.effect"),
        ("{tools: {a: {answers: 3}}}", "tools.a.answers"),
        ("{tools: {a: {arguments: {b: whom}}}}", "tools.a.arguments.b"),
        ("{tools: {a: {labels: x}}}", "tools.a.labels"),
        ("{tools: {a: {labels: [Big]}}}", "tools.a.labels"),
        ("{tools: {1: {}}}", "tools"),
        ("{labels: [3]}", "labels"),
        ("{rules: {conflict: maybe}}", "rules.conflict"),
        ("{rules: {conflicts: true}}", "rules"),
        ("{past: []}", "pack"),
    ],
)
def test_a_pack_that_cannot_be_meant_is_refused_with_its_place(text: str, place: str) -> None:
    with pytest.raises(FlowPackError) as error:
        read_pack(yaml.safe_load(text))
    assert error.value.place == place


def test_a_house_names_a_tool_in_whatever_case() -> None:
    pack = read_pack({"tools": {"Ledger_*": {"effect": "send"}}})
    assert {pack.tool(each).effect for each in ("ledger_out", "LEDGER_OUT", "Ledger_Out")} == {"send"}


def test_a_type_is_read_as_it_was_sent_so_that_its_capitals_part_words() -> None:
    sent = flow_call("deletefile", {"action_type": "deleteFile", "parameters": {}})
    assert (sent.tool, shipped_pack().tool(sent.tool).effect) == ("deleteFile", "destroy")
    assert flow_call("x", {"action_type": "x", "metadata": {"tool": "rm_all"}}).tool == "rm_all"
    assert flow_call("delete_file", {}).tool == flow_call("delete_file", {"action_type": 7}).tool == "delete_file"
