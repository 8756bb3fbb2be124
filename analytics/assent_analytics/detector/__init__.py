"""Drift as it comes: one sequential detector for each stream of values, with a bound on its false alarms.

A detector sees a stream's values one by one and says, at most once in each epoch, that what came lately is not like
what came before. However long the stream runs and however often it is looked at, the chance of such an alarm in a
stream that does not change is at most `alpha`, if the stream is exchangeable: its order means nothing. Values that
depend on each other, and rhythms of days or weeks, are not; how often they raise an alarm is measured in
`tests.benchmarks.false_alarms`. Four steps:

1. `Grid` puts a value into a cell, so that a stream's whole past is a bounded table of counts.
2. `bets.Reference` gives the value's rank among all values of the epoch. In a stream whose order means nothing
   (exchangeable) those ranks are independent and uniform, whatever the values' distribution: no threshold has to be
   set by hand, and heavy tails and ties change nothing.
3. Families of `bets` are densities that ranks may have after a change.
4. `bets` then bets on them: a martingale that grows when ranks are not uniform from some moment on.

No NumPy and no Polars: a step is some microseconds of plain Python, and its state is saved and read exactly.
"""

from assent_analytics.detector.detector import ALPHA, Alarm, Detector, Direction, Grid, State, cell

__all__ = ["ALPHA", "Alarm", "Detector", "Direction", "Grid", "State", "cell"]
