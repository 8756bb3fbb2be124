"""Every operation there is, in the order of the documentation."""

from __future__ import annotations

from typing import Any

from assent.contract.actions import APPROVE_ACTION, CREATE_ACTION, GET_ACTION, GET_ACTIONS, UPDATE_OUTCOME
from assent.contract.assumptions import (
    GET_ASSUMPTION,
    GET_ASSUMPTIONS,
    RECORD_ASSUMPTION,
    VALIDATE_ASSUMPTION,
)
from assent.contract.data import GET_DATA_DICTIONARY, GET_TABLE
from assent.contract.endpoint import Endpoint
from assent.contract.events import STREAM
from assent.contract.guard import GET_GUARD_DECISIONS, GUARD
from assent.contract.halt import GET_HALT, HALT, RESUME
from assent.contract.health import HEALTH, READY
from assent.contract.insight import GET_APPROVAL_INSIGHT, GET_DECISION_MIX
from assent.contract.keys import CREATE_KEY, GET_KEYS, GET_OWN_KEY, REVOKE_KEY
from assent.contract.organizations import CREATE_ORGANIZATION, GET_ORGANIZATIONS
from assent.contract.pcaa import GET_PCAA_HEALTH
from assent.contract.policies import (
    CREATE_POLICY,
    DELETE_POLICY,
    GET_POLICIES,
    IMPORT_POLICIES,
    TEST_POLICIES,
    UPDATE_POLICY,
)
from assent.contract.readiness import GET_READINESS, TEST_CONNECTION
from assent.contract.traces import GET_ACTION_TRACE

ENDPOINTS: tuple[Endpoint[Any], ...] = (
    GUARD,
    GET_GUARD_DECISIONS,
    CREATE_ACTION,
    GET_ACTIONS,
    GET_ACTION,
    UPDATE_OUTCOME,
    GET_ACTION_TRACE,
    RECORD_ASSUMPTION,
    GET_ASSUMPTIONS,
    GET_ASSUMPTION,
    VALIDATE_ASSUMPTION,
    APPROVE_ACTION,
    GET_POLICIES,
    CREATE_POLICY,
    UPDATE_POLICY,
    DELETE_POLICY,
    IMPORT_POLICIES,
    TEST_POLICIES,
    STREAM,
    HALT,
    RESUME,
    GET_HALT,
    CREATE_KEY,
    GET_KEYS,
    GET_OWN_KEY,
    REVOKE_KEY,
    CREATE_ORGANIZATION,
    GET_ORGANIZATIONS,
    GET_DATA_DICTIONARY,
    GET_TABLE,
    GET_PCAA_HEALTH,
    GET_APPROVAL_INSIGHT,
    GET_DECISION_MIX,
    GET_READINESS,
    TEST_CONNECTION,
    HEALTH,
    READY,
)
