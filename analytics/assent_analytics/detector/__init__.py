"""Drift as it comes: one sequential detector for each stream of values, with a bound on its false alarms.

A detector sees a stream's values one by one and says, at most once in each epoch, that what came lately is not like
what came before. However long the stream runs and however often it is looked at, the chance of such an alarm in a
stream that does not change is at most `alpha`. There are two of them for each stream:

- `Detector` takes each value by itself. It is the sooner, and its promise is for values that are independent of each
  other. Of others its alarm is a hint.
- `ClusterDetector` takes the values of a session as one and divides evidence by how far clusters depend on each other.
  Its alarm says that a change is established; it comes later, and not of every change.

How often both raise a false alarm, and how soon they find a change, is measured in `tests.benchmarks.false_alarms`. The
steps:

1. `Grid` puts a value into a cell, so that a stream's whole past is a bounded table of counts.
2. `bets.Reference` gives the value's rank among all values of the epoch. In a stream whose order means nothing
   (exchangeable) those ranks are independent and uniform, whatever the values' distribution: no threshold has to be
   set by hand, and heavy tails and ties change nothing.
3. Families of `bets` are densities that ranks may have after a change.
4. `bets` then bets on them: a martingale that grows when ranks are not uniform from some moment on.

No NumPy and no Polars: a step is some microseconds of plain Python, and its state is saved and read exactly.
"""

from assent_analytics.detector.detector import ALPHA, Alarm, Detector, Direction, Grid, State, cell
from assent_analytics.detector.established import Basis, ClusterDetector, ClusterState, EstablishedAlarm

__all__ = [
    "ALPHA",
    "Alarm",
    "Basis",
    "ClusterDetector",
    "ClusterState",
    "Detector",
    "Direction",
    "EstablishedAlarm",
    "Grid",
    "State",
    "cell",
]
