"""Tables on this machine: copies of days that are fetched once, kept right, and read as lazy frames or with SQL."""

from assent.data.workspace.opening import Wanted, WorkspaceState, opening, wanted
from assent.data.workspace.workspace import AsyncWorkspace, Workspace

__all__ = ["AsyncWorkspace", "Wanted", "Workspace", "WorkspaceState", "opening", "wanted"]
