"""Scans that found something, what they found, and allowed texts, as rows."""

from __future__ import annotations

from assent_service.store.tables import (
    CREATED_AT,
    ORGANIZATION,
    Table,
    boolean,
    integer,
    json,
    number,
    of_entry,
    text,
    time,
)

INJECTION_SCANS = Table(
    name="injection_scans",
    meaning="texts in which the scan found prompt injections; the text itself is with its subject",
    key="scan_id",
    columns=(
        ORGANIZATION,
        text("scan_id", "id of the scan", frozen=True),
        text("subject_kind", "guard_decision, message, handoff, assumption, or scan for a text by itself"),
        text("subject_id", "id of what the text belongs to; of a text by itself that of the scan"),
        text("action_id", "the action that the subject belongs to, if any"),
        text("agent_id", "whose text it was"),
        text("field", "the member of the subject that held it"),
        text("source", "where the text came from, as it was scanned"),
        text("text_digest", "SHA-256 of the text, sha256: and hex"),
        integer("length", "length of the text", "characters"),
        text("recommendation", "allow, warn or block"),
        text("risk_level", "none, low, medium, high or critical"),
        number("score", "sum of the weights of what was found, as the source makes them count"),
        boolean("allowed", "whether an operator allows this text"),
        boolean("unread", "whether a part was beyond what is decoded"),
        text("version", "the rules that it was scanned with"),
        integer("findings_count", "how many findings"),
        integer("critical_count", "how many of them are critical"),
        json("categories", "categories of the findings, the heaviest first"),
        json("findings", "what was found, the heaviest first"),
        text("created_by", "id of the key that brought the text", frozen=True),
        CREATED_AT,
    ),
    created=frozenset({"injection.found"}),
)

INJECTION_FINDINGS = Table(
    name="injection_findings",
    meaning="what the scan for prompt injections found, one row for each finding",
    key="scan_id",
    columns=(
        ORGANIZATION,
        text("scan_id", "the scan that found it; several rows share it", frozen=True),
        text("subject_kind", "what kind of thing the text belongs to"),
        text("subject_id", "id of what the text belongs to"),
        text("agent_id", "whose text it was"),
        text("field", "the member of the subject that held it"),
        text("source", "where the text came from, as it was scanned"),
        text("recommendation", "what the scan recommends for the whole text"),
        of_entry(text("pattern", "name of the rule")),
        of_entry(text("category", "what kind of injection")),
        of_entry(text("severity", "low, medium, high or critical")),
        of_entry(text("says", "what the words do")),
        of_entry(text("matched", "the words, the first 200 characters and without secrets")),
        of_entry(integer("position", "where they begin in the text", "characters")),
        of_entry(integer("end", "where they end", "characters")),
        of_entry(json("via", "decodings that had to be undone, outermost first")),
        of_entry(number("weight", "what it adds to the score")),
        CREATED_AT,
    ),
    created=frozenset({"injection.found"}),
    each="findings",
)

ALLOWED_TEXTS = Table(
    name="allowed_texts",
    meaning="texts that an operator allows whatever the scan finds in them, by digest",
    key="allowed_id",
    columns=(
        ORGANIZATION,
        text("allowed_id", "id of this entry", frozen=True),
        text("text_digest", "SHA-256 of the text, sha256: and hex", frozen=True),
        text("reason", "why it is allowed"),
        text("allowed_by", "name of the key that allowed it"),
        CREATED_AT,
        text("removed_by", "name of the key that removed it, none while it counts"),
        time("removed_at", "when it was removed"),
    ),
    created=frozenset({"allowed_text.created"}),
    replaced=frozenset({"allowed_text.updated"}),
)
