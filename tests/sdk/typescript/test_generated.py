"""What the Node client has of the API's document is what the document gives now; and the names of the specification."""

from __future__ import annotations

import json
import re

import pytest

from assent import __version__
from assent.contract.events import STREAM
from assent.contract.operations import ENDPOINTS
from assent.contract.spelling import camel
from tests import node
from tests.contract.generated import HOW, on_disk
from tests.contract.typescript import OPERATIONS, TYPES, types_head, types_source
from tests.tiers import deep

# The client operations of the specification, in its Node names.
NAMES = """
guard createAction updateOutcome recordAssumption waitForApproval approveAction getPendingApprovals registerOpenLoop
resolveOpenLoop getSignals getActionTrace getGovernanceProof getGovernanceProofBundle verifyGovernanceProof
getComplianceEvidence exportProof getPcaaHealth getPcaaAction events heartbeat reportConnections getLearningVelocity
getLearningCurves getLessons renderPrompt createScorer createScoringProfile listScoringProfiles getScoringProfile
updateScoringProfile deleteScoringProfile addScoringDimension updateScoringDimension deleteScoringDimension
scoreWithProfile batchScoreWithProfile getProfileScores getProfileScoreStats createRiskTemplate listRiskTemplates
updateRiskTemplate deleteRiskTemplate autoCalibrate sendMessage getInbox createHandoff getLatestHandoff
scanPromptInjection submitFeedback createThread addThreadEntry closeThread syncState createPairing waitForPairing
getPairing registerIdentity getIdentities actionContext createWebhook getActivityLogs mapCompliance getProofReport
"""


def test_the_types_are_of_the_document_as_it_is() -> None:
    # Without Node: the head names the document that was read.
    assert on_disk(TYPES).startswith(types_head()), f"{TYPES} is of another document. {HOW}"


@deep("runs the generator of types")
def test_the_types_are_what_the_generator_makes() -> None:
    node.needed()
    assert types_source() == on_disk(TYPES), f"{TYPES} is not current. {HOW}"


def test_every_operation_is_in_the_table() -> None:
    source = on_disk(OPERATIONS)
    table = dict(re.findall(r'^  (\w+): "([A-Z]+ [^ "]+)', source, re.MULTILINE))
    wanted = {camel(each.operation): f"{each.method} {each.path}" for each in ENDPOINTS if each.path != STREAM.path}
    assert table == wanted


@pytest.mark.parametrize("name", NAMES.split())
def test_each_operation_of_the_specification_is_a_method(name: str) -> None:
    written = on_disk("sdk/typescript/src/client.ts")
    assert re.search(rf"^  {name}: \"|^  (?:async )?\*?{name}(?:<T>)?\(", on_disk(OPERATIONS) + written, re.MULTILINE)


def test_the_package_has_our_version_and_pins_its_tools() -> None:
    package = json.loads(on_disk("sdk/typescript/package.json"))
    assert package["version"] == __version__
    assert f"assent-node/{__version__}" in on_disk("sdk/typescript/src/transport.ts")
    assert "dependencies" not in package
    assert all(re.fullmatch(r"\d+\.\d+\.\d+", version) for version in package["devDependencies"].values())
