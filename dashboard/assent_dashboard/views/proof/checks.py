"""The verdict on a proof, and its checks: what was made here and what the service made, as one list.

1. What one of the two found wrong is wrong, whatever the other says.
2. A check that only one of them could make counts as that one made it.
3. The words are those of the worse result; where both are alike, the service's, which has more to compare with.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import polars as pl
import streamlit as st

from assent.contract.evidence.proofs import CheckName, CheckStatus, ProofCheck, ProofVerification, Signer
from assent_dashboard.views import words
from assent_dashboard.views.proof.data import Examination, is_read
from assent_dashboard.views.readiness.page import HALF, WIDE

TITLES: dict[CheckName, str] = {
    CheckName.SCHEMA: "Form of the bundle",
    CheckName.BUNDLE_ID: "Id of the bundle",
    CheckName.KEY: "Signing keys",
    CheckName.CHECKPOINT: "Signed tree head",
    CheckName.SIGNATURE: "Signature",
    CheckName.DIGEST: "Digest of the certificate",
    CheckName.INCLUSION: "Events in the log",
    CheckName.CERTIFICATE: "Certificate made again",
    CheckName.CHECKPOINT_COVERAGE: "Five checkpoints",
    CheckName.POLICY_REPLAY: "Policies replayed",
    CheckName.APPROVAL_RECEIPT: "Approval receipt",
    CheckName.CONSISTENCY: "Log only grew",
    CheckName.LOG: "Log as it is now",
    CheckName.DATABASE_ROW: "Tables as they are now",
}
_MARKS: dict[CheckStatus, str] = {
    CheckStatus.FAIL: ":red[:material/cancel:]",
    CheckStatus.WARN: ":orange[:material/warning:]",
    CheckStatus.PASS: ":green[:material/check_circle:]",
    CheckStatus.NOT_CHECKED: ":gray[:material/radio_button_unchecked:]",
}
_SAID: dict[CheckStatus, str] = {
    CheckStatus.FAIL: "fails",
    CheckStatus.WARN: "worth a look",
    CheckStatus.PASS: "holds",
    CheckStatus.NOT_CHECKED: "not checked",
}
_COLOURS = {CheckStatus.FAIL: "red", CheckStatus.WARN: "orange", CheckStatus.NOT_CHECKED: "gray"}
_URGENT = frozenset({CheckStatus.FAIL, CheckStatus.WARN})
_PRESENT = frozenset({CheckName.LOG, CheckName.DATABASE_ROW})
"""What is wrong here is not wrong with the bundle: the log or the tables are others than they were."""
_WORST = (CheckStatus.FAIL, CheckStatus.WARN, CheckStatus.PASS, CheckStatus.NOT_CHECKED)


@dataclass(frozen=True)
class CheckRow:
    """One check as both made it; one of the two may be None."""

    name: CheckName
    here: ProofCheck | None
    there: ProofCheck | None

    @property
    def made(self) -> ProofCheck:
        """The one that counts."""
        return min((check for check in (self.there, self.here) if check is not None), key=_badness)

    @property
    def status(self) -> CheckStatus:
        return self.made.status

    @property
    def by(self) -> str:
        """Who made it: `here · service`, or one of them; empty where nobody could."""
        made = [
            who
            for who, check in (("here", self.here), ("service", self.there))
            if check is not None and check.status is not CheckStatus.NOT_CHECKED
        ]
        return " · ".join(made)


@dataclass(frozen=True)
class ProofVerdict:
    """`ok` when no check failed. `title` is a short sentence, `text` says more; both are plain text."""

    ok: bool
    warned: bool
    title: str
    text: str


def rows(here: ProofVerification, there: ProofVerification | None) -> list[CheckRow]:
    """In the order of the checks."""
    mine = {check.name: check for check in here.checks}
    theirs = {check.name: check for check in there.checks} if there is not None else {}
    return [CheckRow(name, mine.get(name), theirs.get(name)) for name in CheckName if name in mine or name in theirs]


def judge(here: ProofVerification, there: ProofVerification | None, unasked: str | None = None) -> ProofVerdict:
    found = rows(here, there)
    failed = [row.name for row in found if row.status is CheckStatus.FAIL]
    warned = [row.name for row in found if row.status is CheckStatus.WARN]
    if not is_read(here):
        return ProofVerdict(False, False, "This is no bundle", _first(found).made.detail)
    made = sum(row.status is not CheckStatus.NOT_CHECKED for row in found)
    alone = "" if there is not None else f" {unasked or 'The service was not asked.'}"
    if failed:
        text = f"{_listed(failed)}: {len(failed)} of {words.several(made, 'check')} failed.{alone}"
        elsewhere = set(failed) <= _PRESENT
        title = (
            "The bundle holds, but the service no longer has what it proves"
            if elsewhere
            else "This proof does not hold"
        )
        return ProofVerdict(False, bool(warned), title, text)
    count = f"{words.several(made, 'check')} made, none failed.{alone}"
    if here.signer is Signer.UNKNOWN:
        return ProofVerdict(True, True, "Nothing was altered, but who signed it is not known", count)
    if warned:
        text = f"{count} Worth a look: {_listed(warned)}."
        return ProofVerdict(True, True, "This proof holds, but something is worth a look", text)
    if there is None:
        return ProofVerdict(True, True, "This proof holds, as far as it can be told here", count)
    return ProofVerdict(True, False, "This proof holds", count)


def draw_verdict(examination: Examination) -> None:
    """Key: `proof_verdict`."""
    verdict = judge(examination.here, examination.there, examination.unasked)
    show = st.error if not verdict.ok else st.warning if verdict.warned else st.success
    icon = (
        ":material/gpp_bad:"
        if not verdict.ok
        else ":material/gpp_maybe:"
        if verdict.warned
        else ":material/verified_user:"
    )
    with st.container(key="proof_verdict"):
        show(f"**{words.plain(verdict.title)}**  \n{words.plain(verdict.text)}", icon=icon)


def draw_checks(here: ProofVerification, there: ProofVerification | None) -> None:
    """What failed comes first, then what is worth a look. Key: `proof_checks`, and `proof_check_<name>` for each."""
    found = sorted(
        rows(here, there), key=lambda row: _WORST.index(row.status) if row.status in _URGENT else len(_WORST)
    )
    st.header("Checks", anchor=False)
    with st.container(border=True, key="proof_checks"):
        with st.container(horizontal=True, gap="medium"):
            for row in found:
                width = WIDE if row.status in _URGENT else HALF
                with st.container(key=f"proof_check_{row.name}", width=width):
                    st.markdown(line(row))
        st.caption(
            "*here*: by this page, offline, with the organization's public keys and nothing else. *service*: by the "
            "service, which compares with its log and its tables as well."
        )


def table(examination: Examination) -> pl.DataFrame:
    """Every check as it counts, to take away."""
    made = [(row, row.made) for row in rows(examination.here, examination.there)]
    columns = ("check", "title", "status", "checked_by", "detail", "expected", "found")
    return pl.DataFrame(
        [
            (row.name.value, TITLES[row.name], check.status.value, row.by, check.detail, check.expected, check.found)
            for row, check in made
        ],
        schema=dict.fromkeys(columns, pl.String),
        orient="row",
    )


def line(row: CheckRow) -> str:
    """A check as Markdown: its mark, what was compared, and the two values where they differ."""
    check = row.made
    said = [f":gray[{row.by}]"] if row.by else []
    if check.status is not CheckStatus.PASS:
        said.insert(0, f":{_COLOURS[check.status]}[{_SAID[check.status]}]")
    if check.status in _URGENT:
        said.append(words.code(row.name))
    lines = [f"{_MARKS[check.status]} **{TITLES[row.name]}** {' '.join(said)}", words.plain(check.detail)]
    if check.expected is not None:
        lines.append(f":gray[expected] {words.code(check.expected)}")
    if check.found is not None:
        lines.append(f":gray[found] {words.code(check.found)}")
    other = _disagreeing(row)
    if other:
        lines.append(f":gray[{other}]")
    return "  \n".join(lines)


def _disagreeing(row: CheckRow) -> str:
    """Who found otherwise, where the two do not agree."""
    pair = (row.here, row.there)
    if None in pair or len({check.status for check in pair if check is not None}) == 1:
        return ""
    other = row.here if row.made is row.there else row.there
    if other is None or other.status is CheckStatus.NOT_CHECKED:
        return ""
    who = "Here" if other is row.here else "By the service"
    return f"{who} it {_SAID[other.status]}."


def _badness(check: ProofCheck) -> int:
    return _WORST.index(check.status)


def _first(found: list[CheckRow]) -> CheckRow:
    return next(row for row in found if row.name is CheckName.SCHEMA)


def _listed(names: Iterable[CheckName]) -> str:
    return ", ".join(TITLES[name] for name in names)
