"""Any callable, governed: `@governed`, and what the adapters of agents' frameworks share.

Before the callable runs, its action is created and guard decides; where a person has to approve, the call waits; what
came of it is reported. Nothing runs that was refused.
"""

from assent.governing.call import Ended, ToolCall, refusal
from assent.governing.decorator import governed
from assent.governing.governor import Governor

__all__ = ["Ended", "Governor", "ToolCall", "governed", "refusal"]
