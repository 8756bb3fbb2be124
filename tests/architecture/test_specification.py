"""The 63 client operations of the interface specification, against both clients.

Names are those of the specification, in snake case as it says.
"""

import re

import pytest

import assent
from assent import AsyncClient, Client

CORE = "guard createAction updateOutcome recordAssumption waitForApproval approveAction getPendingApprovals"
INTEGRITY = "registerOpenLoop resolveOpenLoop getSignals"
PROOF = (
    "getActionTrace getGovernanceProof getGovernanceProofBundle verifyGovernanceProof getComplianceEvidence "
    "exportProof getPcaaHealth getPcaaAction"
)
EVENTS_SWARM = "events heartbeat reportConnections"
LEARNING = "getLearningVelocity getLearningCurves getLessons renderPrompt"
SCORING = (
    "createScorer createScoringProfile listScoringProfiles getScoringProfile updateScoringProfile deleteScoringProfile "
    "addScoringDimension updateScoringDimension deleteScoringDimension scoreWithProfile batchScoreWithProfile "
    "getProfileScores getProfileScoreStats createRiskTemplate listRiskTemplates updateRiskTemplate deleteRiskTemplate "
    "autoCalibrate"
)
MESSAGING = "sendMessage getInbox createHandoff getLatestHandoff scanPromptInjection submitFeedback"
THREADS = "createThread addThreadEntry closeThread syncState"
IDENTITY = "createPairing waitForPairing getPairing registerIdentity getIdentities"
CONTEXT = "actionContext"
VERSION_1 = "createWebhook getActivityLogs mapCompliance getProofReport"

OPERATIONS = " ".join(
    (CORE, INTEGRITY, PROOF, EVENTS_SWARM, LEARNING, SCORING, MESSAGING, THREADS, CONTEXT, IDENTITY, VERSION_1)
).split()


def snake(name: str) -> str:
    return re.sub(r"[A-Z]", lambda found: "_" + found[0].lower(), name)


def test_the_table_has_all_63() -> None:
    assert len(OPERATIONS) == len(set(OPERATIONS)) == 63


@pytest.mark.parametrize("client", [Client, AsyncClient], ids=lambda client: client.__name__)
@pytest.mark.parametrize("name", OPERATIONS)
def test_both_clients_carry_it(name: str, client: type[Client] | type[AsyncClient]) -> None:
    assert callable(getattr(client, snake(name), None)), f"{snake(name)} is missing"


def test_the_package_says_its_version() -> None:
    assert re.fullmatch(r"\d+\.\d+\.\d+", assent.__version__)
