"""Drift alerts in memory: those that nobody has acknowledged, for guard and lessons, and how far each stream was told.

What was told of a stream up to an event is final: when the log is read again, alarms up to there are not recorded anew,
whatever was erased meanwhile.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Sequence
from heapq import nlargest

from assent.contract.analysis.drift import DriftAlert
from assent.contract.control.guard import Source
from assent.contract.events import EventName
from assent_service.analysis.drift.streams import Stream
from assent_service.core.payload import decode
from assent_service.core.rows import record, select
from assent_service.store.event import Event
from assent_service.store.ledger import Read
from assent_service.store.tables import Table

DRIFT_ALERTS = Table.of(
    DriftAlert,
    name="drift_alerts",
    meaning="drift alerts: a stream of values that changed, found as the values came",
    key="id",
    created=("drift.alert",),
    replaced=("drift.alert.updated",),
)


EACH = 20
"""Alerts of an agent and action type, the newest."""
MOST = 50_000
"""Pairs of agent and action type that are remembered, those with the newest alerts."""
TOLD = 100_000
"""Streams of which is remembered how far they were told, hints and what is established by themselves, the newest."""

CREATED, UPDATED = EventName.DRIFT_ALERT.value, EventName.DRIFT_ALERT_UPDATED.value
_COLUMNS = select(DRIFT_ALERTS)
_UNACKNOWLEDGED = f"""
    SELECT {_COLUMNS} FROM (
        SELECT *, row_number() OVER (
            PARTITION BY org_id, agent_id, action_type ORDER BY created_at DESC, id DESC) AS place
        FROM drift_alerts WHERE NOT acknowledged AND deleted_at IS NULL
    ) AS placed WHERE place <= {EACH} ORDER BY created_at DESC, id DESC LIMIT {MOST}
"""
_FAR = f"""
    SELECT org_id, agent_id, action_type, metric, source = 'simulated', established, max(raised_n) FROM drift_alerts
    GROUP BY ALL ORDER BY max(created_at) DESC LIMIT {TOLD}
"""

About = tuple[str | None, str]


class DriftState:
    """Fold of the drift alerts that were recorded."""

    types = frozenset({CREATED, UPDATED})

    def __init__(self) -> None:
        self._open: dict[str, OrderedDict[About, dict[str, DriftAlert]]] = {}
        self._pairs = 0
        self._told: OrderedDict[tuple[Stream, bool], int] = OrderedDict()

    def unacknowledged(
        self, org_id: str, agent_id: str | None = None, action_type: str | None = None
    ) -> Sequence[DriftAlert]:
        """Alerts that nobody has acknowledged, the newest first, at most 20 of an agent and action type; None means
        any."""
        pairs = self._open.get(org_id)
        if not pairs:
            return ()
        chosen: Iterable[dict[str, DriftAlert]]
        if agent_id is not None and action_type is not None:
            chosen = (pairs.get((agent_id, action_type), {}),)
        else:
            chosen = (
                alerts
                for (agent, kind), alerts in pairs.items()
                if agent_id in (None, agent) and action_type in (None, kind)
            )
        found = [alert for alerts in chosen for alert in alerts.values()]
        return sorted(found, key=_newest, reverse=True)

    def about(self, org_id: str, agent_id: str | None, action_type: str) -> Sequence[DriftAlert]:
        """The same of exactly this agent, where None is whoever has no name, and only of what happened: nothing that a
        simulator made up."""
        pairs = self._open.get(org_id)
        alerts = pairs.get((agent_id, action_type)) if pairs else None
        if not alerts:
            return ()
        happened = [alert for alert in alerts.values() if alert.source is not Source.SIMULATED]
        return sorted(happened, key=_newest, reverse=True)

    def recorded_up_to(self, stream: Stream, *, established: bool) -> int:
        """The number of the organization's event up to which the stream's hints or established alarms were recorded, -1
        without any."""
        return self._told.get((stream, established), -1)

    def load(self, read: Read) -> None:
        for row in reversed(read(_UNACKNOWLEDGED, [])):
            self._put(record(DRIFT_ALERTS, row, DriftAlert))
        for org_id, agent_id, action_type, metric, simulated, established, n in reversed(read(_FAR, [])):
            agent = None if agent_id is None else str(agent_id)
            stream = Stream(str(org_id), agent, str(action_type), str(metric), bool(simulated))
            self._tell(stream, int(str(n)), established=bool(established))

    def fold(self, event: Event) -> None:
        if event.data is None:
            return
        alert = decode(event, DriftAlert)
        self._tell(_stream(alert), alert.raised_n, established=alert.established)
        if alert.acknowledged or alert.deleted_at is not None:
            self._drop(alert)
        else:
            self._put(alert)

    def _put(self, alert: DriftAlert) -> None:
        pairs = self._open.setdefault(alert.org_id, OrderedDict())
        about = (alert.agent_id, alert.action_type)
        if about not in pairs:
            pairs[about] = {}
            self._pairs += 1
        alerts = pairs[about]
        alerts[alert.id] = alert
        pairs.move_to_end(about)
        if len(alerts) > EACH:
            pairs[about] = {each.id: each for each in nlargest(EACH, alerts.values(), key=_newest)}
        if self._pairs > MOST:
            largest = max(self._open, key=lambda org_id: len(self._open[org_id]))
            self._open[largest].popitem(last=False)
            self._pairs -= 1

    def _drop(self, alert: DriftAlert) -> None:
        pairs = self._open.get(alert.org_id, OrderedDict())
        about = (alert.agent_id, alert.action_type)
        alerts = pairs.get(about)
        if alerts is not None and alerts.pop(alert.id, None) is not None and not alerts:
            del pairs[about]
            self._pairs -= 1

    def _tell(self, stream: Stream, n: int, *, established: bool) -> None:
        which = stream, established
        self._told[which] = max(n, self._told.get(which, -1))
        self._told.move_to_end(which)
        if len(self._told) > TOLD:
            self._told.popitem(last=False)


def _newest(alert: DriftAlert) -> tuple[float, str]:
    return alert.created_at.timestamp(), alert.id


def _stream(alert: DriftAlert) -> Stream:
    simulated = alert.source is Source.SIMULATED
    return Stream(alert.org_id, alert.agent_id, alert.action_type, alert.metric, simulated)
