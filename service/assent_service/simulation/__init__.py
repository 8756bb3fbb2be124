"""A simulated history as evidence: what live traffic would have recorded, event by event."""

from assent_service.simulation.evidence import Evidence, Workspace
from assent_service.simulation.timeline import Slice, happen, slices

__all__ = ["Evidence", "Slice", "Workspace", "happen", "slices"]
