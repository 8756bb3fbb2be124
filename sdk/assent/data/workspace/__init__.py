"""Tables on this machine: copies of days that are fetched once, kept right, and read as lazy frames or with SQL."""

from assent.data.workspace.opening import Opened, Wanted, opening, wanted
from assent.data.workspace.workspace import AsyncWorkspace, Workspace

__all__ = ["AsyncWorkspace", "Opened", "Wanted", "Workspace", "opening", "wanted"]
