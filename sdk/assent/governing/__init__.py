"""Any callable, governed: `@governed`, and what the adapters of agents' frameworks share.

Before the callable runs, its action is created and guard decides; where a person has to approve, the call waits; what
came of it is reported. Nothing runs that was refused.
"""

from assent.governing.attempt import Ended
from assent.governing.call import ToolCall
from assent.governing.decorator import governed
from assent.governing.governor import Governor
from assent.governing.refusal import refusal

__all__ = ["Ended", "Governor", "ToolCall", "governed", "refusal"]
