"""The second detector of a stream: it takes values that belong together as one, and says that a change is established
where that holds for more than independent values.

- Values of one session are one cluster, their mean. Of values without a session, those of one hour are one, `BLOCK` at
  most.
- What follows of each cluster is raised to the power 1 / tau, where tau says how far clusters depend on those before
  them (`dependence`).
- Once a week it is looked whether days of the week differ. Where they do, a cluster's rank is among those of its like
  (`rhythm`).
- Between the first six hours and the end of the first week, nobody knows a stream's rhythm: what a rhythm may do counts
  for nothing then.
- The alarm names the estimated place of the change with its interval, and the means before and after it.

The promise: a stream that does not change ever raises an alarm with a probability of alpha at most, from each start. It
rests on this.

1. Where clusters are exchangeable, ranks are uniform and independent, among all clusters as among those of each day of
   the week, and M with exponents of at most 1 is a nonnegative supermartingale (Jensen): the bound is Ville's (ranks
   within classes: V. Vovk, A. Gammerman and G. Shafer, Algorithmic Learning in a Random World, 2005, section 4.5). So
   sessions that are independent of each other, heavy tails and outliers do not touch it. Where only those of the same
   day of the week are exchangeable, the same holds once a look has found that days differ.
2. Where clusters depend on each other, sums of scores are about normal with tau times the variance, and
   exp((d S - n d^2 / 2) / tau) still has a mean of 1 at most. That is an approximation, since tau is estimated; it is
   checked by simulation (`tests.benchmarks.false_alarms`). A rhythm of the day is dependence too.
3. It does not hold where dependence lasts longer than the stream can show, for sessions that depend on each other, and
   where the number of values or the size of sessions changes: a mean of more values spreads less.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import inf, sqrt
from typing import Literal
from zlib import crc32

import msgspec

from assent_analytics.detector.bets import (
    FIRST,
    NEVER,
    NUMBERS,
    SHARES,
    Beginning,
    Bets,
    Moments,
    Reference,
    beyond_share,
    of_number,
    of_share,
    rank_among,
    seed_of,
    theta,
)
from assent_analytics.detector.dependence import EARLY, EARLY_UNTIL, EVERY, Dependence, early
from assent_analytics.detector.detector import ALPHA, CELLS, Alarm, Grid, alarm_of
from assent_analytics.detector.rhythm import Past, Rhythm

# Epochs, the moment of a change, means and z are those of `detector`, and so is that an epoch of one cell ends without
# an alarm.
#
# - A cluster is bet on once there are 10 tau clusters before it, so that fewer than 10 clusters never raise an alarm;
#   one without a session after 24, so that something is known of tau. The prior on the moment of change counts clusters
#   / tau.
# - tau counts for sessions from 128 of them on: of fewer, a change looks like dependence.
#
# Sessions:
#
# - A session's cluster is taken in when it is closed: when as many others have had values since its last one as the
#   stream's `patience`, which is 1 to begin with, or when it has LARGEST values; what follows of it then counts for
#   nothing, as long as it is among the last 64 of these. Until it is closed its values are in no number.
# - Where a session has a value that was closed before, sessions go on side by side: patience doubles, to 64 at most,
#   and another cluster of it begins. The last 64 that were closed are remembered for it.
# - Values without a session are a cluster while they happen in the same hour (UTC), until it has BLOCK of them; shares
#   that are bet on as 0 and 1 are clusters by themselves.
# - The mean of a cluster's values, in hundredths for shares, has ranks as numbers have. Shares of which none of the
#   first ten clusters has more than one value are bet on as 0 and 1, and a session by its first value.
#
# Rhythms (a session came when its first value did):
#
# - A cluster that is compared with fewer than 5 others, once days are kept apart, is not bet on.
# - In the time of rule 3 of `rhythm`, what is bet on is the smaller of a cluster's own gains and of those of the rank
#   that the rule gives, whose mean is not above 1 either. Of shares, the odds may be 20 times as high or low without a
#   change. The alternatives that change the spread win nothing then.
# - A share that follows the rarer of both values, of share q, counts 1 / (2.5 - 3 q) times: rare events come in groups,
#   and no tau can be told from few of them.


Basis = Literal["session", "hour", "session, else hour"]
PATIENCE = 64
LARGEST = 200
BLOCK = 8
"""Values of one hour without a session that are one cluster at most."""
_HOUR = 3_600_000_000
_ONE = 100
_ROOT_HALF = sqrt(0.5)
ALIKE = 5
GROUPED = 2.5
START = 24
"""Clusters without a session before one of them is bet on."""
SESSIONS = 128
"""Clusters before tau counts for sessions."""


class EstablishedAlarm(Alarm, frozen=True, kw_only=True):
    """The n values came in so many `clusters`, of which `recent_clusters` came since the change, and count as
    `n_effective` independent ones (clusters / tau, whatever is in each). `basis` says what a cluster is. `change_low`
    and `change_high` are the 95% interval of `change_at`, where clusters are independent of each other."""

    change_low: int
    change_high: int
    clusters: int
    recent_clusters: int
    n_effective: float
    basis: Basis


class Cluster(msgspec.Struct, array_like=True, gc=False):
    """Values that go on to come: how many, their mean and sum of squared deviations, the first, and when the first
    and the last of them happened (microseconds)."""

    n: int
    mean: float
    squares: float
    first: float
    began: int
    at: int


class ClusterState(msgspec.Struct, frozen=True, array_like=True):
    """Everything a detector knows, to go on with later. `named` clusters are sessions; `whole` says whether shares are
    bet on as 0 and 1. `level` and `spread` are the state of how clusters, and their squares, depend on each other,
    `first` the cells of the first clusters, `early` what those say of it, `last` the cell of the last one."""

    epoch: int
    past: Past
    n: int
    clusters: int
    named: int
    whole: bool
    mean: float
    squares: float
    wealth: list[float]
    sums: list[float]
    since: list[Beginning]
    value: float
    left: float
    latest: list[int]
    marks: list[int]
    depths: list[float]
    level: list[float]
    spread: list[float]
    first: list[int]
    early: float
    last: int
    patience: int
    open: list[tuple[int, Cluster]]
    closed: list[int]
    full: list[int]
    hour: Cluster | None


class ClusterDetector:
    """The second detector of one stream: `step` takes its values in their order, and gives an alarm when it is
    established that it has drifted.

        detector = ClusterDetector("payer/pay/score", Grid.NUMBER)
        for value, at, session_id in values:
            if alarm := detector.step(value, at, session_id):
                print(alarm.change_low, alarm.change_at, alarm.change_high)

    `key` names the stream and decides how ties are broken. `epoch` counts how often it began anew. Raises
    ValueError for an `alpha` that is no probability.
    """

    __slots__ = (
        "_bets",
        "_cell",
        "_closed",
        "_clusters",
        "_early",
        "_first",
        "_full",
        "_hour",
        "_last",
        "_level",
        "_mean",
        "_moments",
        "_n",
        "_named",
        "_open",
        "_patience",
        "_rhythm",
        "_seed",
        "_share",
        "_spread",
        "_squares",
        "_threshold",
        "_whole",
        "epoch",
        "key",
    )
    _mean: float
    _squares: float
    _n: int
    _clusters: int
    _named: int

    def __init__(self, key: str, grid: Grid, alpha: float = ALPHA) -> None:
        if not 0 < alpha < 1:
            raise ValueError(f"alpha is {alpha!r}; give a probability between 0 and 1, such as 0.01")
        self.key, self._cell, self._threshold = key, CELLS[grid], 1 / alpha
        self._share = grid is Grid.SHARE
        self._open: dict[int, Cluster] = {}
        self._closed: dict[int, None] = {}
        self._full: dict[int, None] = {}
        self._hour: Cluster | None = None
        self._patience = 1
        self._begin(0)

    @classmethod
    def of(cls, key: str, grid: Grid, state: ClusterState, alpha: float = ALPHA) -> ClusterDetector:
        """The detector that `state` was taken from."""
        made = cls(key, grid, alpha)
        made._begin(state.epoch)
        made._whole = state.whole
        made._rhythm = Rhythm(state.past)
        made._n, made._clusters, made._named = state.n, state.clusters, state.named
        moments = Moments(list(state.latest), list(state.marks), list(state.depths))
        family = SHARES if state.whole else NUMBERS
        bets = list(state.wealth), list(state.sums), list(state.since), state.value, state.left, moments
        made._moments, made._bets = moments, Bets(family, *bets)
        made._level, made._spread = Dependence(state.level, most=_most(whole=state.whole)), Dependence(state.spread)
        made._first, made._early, made._last = list(state.first), state.early, state.last
        made._mean, made._squares = state.mean, state.squares
        made._patience = state.patience
        made._open = {name: _same(cluster) for name, cluster in state.open}
        made._hour = None if state.hour is None else _same(state.hour)
        made._closed, made._full = dict.fromkeys(state.closed), dict.fromkeys(state.full)
        return made

    def state(self) -> ClusterState:
        bets, moments = self._bets, self._moments
        return ClusterState(
            epoch=self.epoch,
            past=self._rhythm.past(),
            n=self._n,
            clusters=self._clusters,
            named=self._named,
            whole=self._whole,
            mean=self._mean,
            squares=self._squares,
            wealth=list(bets.wealth),
            sums=list(bets.sums),
            since=list(bets.since),
            value=bets.value,
            left=bets.left,
            latest=list(moments.latest),
            marks=list(moments.marks),
            depths=list(moments.depths),
            level=self._level.state(),
            spread=self._spread.state(),
            first=list(self._first),
            early=self._early,
            last=self._last,
            patience=self._patience,
            open=[(name, _same(cluster)) for name, cluster in self._open.items()],
            closed=list(self._closed),
            full=list(self._full),
            hour=None if self._hour is None else _same(self._hour),
        )

    @property
    def n(self) -> int:
        """How many values this epoch has taken in; those of sessions that go on are not yet among them."""
        return self._n

    @property
    def clusters(self) -> int:
        """In how many clusters they came."""
        return self._clusters

    @property
    def n_effective(self) -> float:
        """As how many independent clusters those count: as many as they are, while they are sessions by whom nobody can
        tell a change from dependence."""
        alone = self._named == self._clusters < SESSIONS
        return self._clusters if alone else self._clusters / self._tau()

    @property
    def e_value(self) -> float:
        """M, as it stands."""
        return self._bets.value

    def step(self, value: float, at: int, session: str | None = None) -> EstablishedAlarm | None:
        """Take in the next value, which happened `at` (microseconds), in this session."""
        if self._cell(value) is None:
            return None
        return self._in_hour(value, at) if session is None else self._in_session(value, at, crc32(session.encode()))

    def _in_hour(self, value: float, at: int) -> EstablishedAlarm | None:
        most = 1 if self._whole and self._clusters >= FIRST else BLOCK
        cluster, alarm = self._hour, None
        if cluster is not None and cluster.n < most and cluster.began // _HOUR == at // _HOUR:
            _join(cluster, value, at)
        else:
            if cluster is not None:
                alarm = self._take(cluster, named=False)
            cluster = Cluster(1, value, 0.0, value, at, at)
        self._hour = cluster if cluster.n < most else None
        return alarm if self._hour is cluster else self._take(cluster, named=False) or alarm

    def _in_session(self, value: float, at: int, name: int) -> EstablishedAlarm | None:
        if name in self._full:
            self._full[name] = self._full.pop(name)
            return None
        cluster, alarm = self._open.pop(name, None), None
        if cluster is None:
            if name in self._closed:
                del self._closed[name]
                self._patience = min(PATIENCE, 2 * self._patience)
            while len(self._open) >= self._patience:
                oldest = next(iter(self._open))
                _remember(self._closed, oldest)
                alarm = self._take(self._open.pop(oldest), named=True) or alarm
            self._open[name] = Cluster(1, value, 0.0, value, at, at)
            return alarm
        _join(cluster, value, at)
        if cluster.n < LARGEST:
            self._open[name] = cluster
            return None
        _remember(self._full, name)
        return self._take(cluster, named=True)

    def _take(self, cluster: Cluster, *, named: bool) -> EstablishedAlarm | None:
        if cluster.n > 1 and self._whole and self._clusters < FIRST:
            self._bet_on(whole=False)
        value = cluster.first if self._whole else cluster.mean
        place = round(100 * value) if self._share else self._cell(value)
        if place is None:
            return None
        rhythm, clusters = self._rhythm, self._clusters
        before = Beginning(self._n, self._mean, self._squares, cluster.began, clusters)
        rhythm.arrive(cluster.began)
        whole, tie = rhythm.whole, theta(self._seed, clusters + 1)
        tau = wide = 1.0
        if not named or clusters >= SESSIONS:
            tau = self._tau()
            wide = max(tau, self._spread.tau)
        enough = clusters >= FIRST * tau and (named or clusters >= START)
        gains, score = self._judged((whole,), place, tie)
        of_whole, told = score, gains
        if (alike := rhythm.alike()) is not None:
            enough = enough and sum(each.n for each in alike) >= ALIKE
            gains, score = self._judged(alike, place, tie)
            told = gains
        self._level.add(score)
        if self._whole:
            tau = wide = tau * self._grouped()
            told = of_share(value, round(before.mean * before.n), before.n)
        else:
            self._spread.add((score * score - 1) * _ROOT_HALF)
        if rhythm.unknown():
            # The smaller of both: its mean is at most that of the cluster's own, which is 1.
            gains = [min(each) for each in zip(gains, self._beyond(place), strict=True)]
        if wide > 1:
            kept = gains is told
            told = _divided(told, tau, wide)
            gains = told if kept else _divided(gains, tau, wide)
        rhythm.add(place, of_whole)
        self._last = place
        if clusters < EARLY:
            self._look_early(place)
        self._count(cluster, named=named)
        if self._bets.step(gains if enough else None, before, told, int(clusters / tau)) < self._threshold:
            return None
        alarm = self._alarm(cluster.at) if len(whole.cells) > 1 else None
        self._begin(self.epoch + 1)
        return alarm

    def _judged(self, references: Sequence[Reference], place: int, tie: float) -> tuple[Sequence[float], float]:
        """The log f of a cluster's rank, and its score."""
        u = rank_among(references, place, tie)
        if not self._whole:
            gains = of_number(u)
            return gains, gains[4] + 0.5
        if len(references) == 1:
            ones, n = _ones(references[0]), references[0].n
        else:
            ones, n = sum(map(_ones, references)), sum(each.n for each in references)
        p = (ones + (1.0 if 2 * ones <= n else 0.0)) / (n + 1)
        return of_share(u, ones, n), ((u >= 1 - p) - p) / sqrt(p * (1 - p)) if 0 < p < 1 else 0.0

    def _beyond(self, place: int) -> Sequence[float]:
        whole = self._rhythm.whole
        if self._whole:
            return beyond_share(place / _ONE, _ones(whole), whole.n)
        return [*of_number(self._rhythm.beyond(place))[:6], 0.0, 0.0]

    def _grouped(self) -> float:
        """What a share's evidence is divided by for the value before it."""
        whole = self._rhythm.whole
        share = _ones(whole) / whole.n if whole.n else 0.0
        if (self._last == _ONE) != (share <= 0.5):
            return 1.0
        return GROUPED - 2 * (GROUPED - 1) * min(share, 1 - share)

    def _count(self, cluster: Cluster, *, named: bool) -> None:
        # Chan, Golub and LeVeque 1979: Welford's for several values at once.
        n, mean = self._n, self._mean
        distance = cluster.mean - mean
        self._n = after = n + cluster.n
        self._mean = mean + distance * cluster.n / after
        if cluster.n == 1:
            self._squares += distance * (cluster.mean - self._mean)
        else:
            self._squares += cluster.squares + distance * distance * n * cluster.n / after
        self._clusters += 1
        self._named += named

    def _look_early(self, place: int) -> None:
        self._first.append(place)
        if len(self._first) % EVERY == 0:
            self._early = early(self._first)
        if len(self._first) == EARLY:
            self._first.clear()

    def _begin(self, epoch: int) -> None:
        self.epoch: int = epoch
        self._seed = seed_of(self.key, epoch)
        self._rhythm, self._last = Rhythm(), 0
        self._n = self._clusters = self._named = 0
        self._mean, self._squares = NEVER.mean, NEVER.squares
        self._first: list[int] = []
        self._early = 1.0
        self._bet_on(whole=self._share)

    def _tau(self) -> float:
        tau = self._level.tau
        return self._early if self._early > tau and self._clusters < EARLY_UNTIL else tau

    def _bet_on(self, *, whole: bool) -> None:
        self._whole, self._moments = whole, Moments([], [], [])
        self._bets, self._spread = Bets.fresh(SHARES if whole else NUMBERS, self._moments), Dependence()
        self._level = Dependence(most=_most(whole=whole))

    def _alarm(self, at: int) -> EstablishedAlarm:
        bets, now = self._bets, Beginning(self._n, self._mean, self._squares, at, self._clusters)
        low, high = bets.between()
        plain = alarm_of(bets, now, self.epoch, self._threshold, shares=self._share)
        return EstablishedAlarm(
            **msgspec.structs.asdict(plain),
            change_low=low,
            change_high=high,
            clusters=now.clusters,
            recent_clusters=now.clusters - bets.likeliest()[1].clusters,
            n_effective=self.n_effective,
            basis=self._basis(),
        )

    def _basis(self) -> Basis:
        if not self._named:
            return "hour"
        return "session" if self._named == self._clusters else "session, else hour"


def _remember(names: dict[int, None], name: int) -> None:
    names[name] = None
    if len(names) > PATIENCE:
        del names[next(iter(names))]


def _join(cluster: Cluster, value: float, at: int) -> None:
    # Welford 1962.
    cluster.n += 1
    distance = value - cluster.mean
    cluster.mean += distance / cluster.n
    cluster.squares += distance * (value - cluster.mean)
    cluster.at = at


def _same(cluster: Cluster) -> Cluster:
    return Cluster(*msgspec.structs.astuple(cluster))


def _most(*, whole: bool) -> float:
    return 1.0 if whole else inf


def _divided(gains: Sequence[float], tau: float, wide: float) -> list[float]:
    a, b, c, d, e, f, *spread = gains
    return [a / tau, b / tau, c / tau, d / tau, e / tau, f / tau, *[each / wide for each in spread]]


def _ones(reference: Reference) -> int:
    """How many of the shares so far are 1, where all are 0 or 1."""
    return reference.counts[-1] if reference.n and reference.cells[-1] == _ONE else 0
