"""A simulated history as evidence: what live traffic would have recorded, event by event."""

from assent_service.analysis.simulation.evidence import SimulatedEvidence, SimulatedWorkspace
from assent_service.analysis.simulation.sessions import told_sessions
from assent_service.analysis.simulation.timeline import Slice, happen, slices

__all__ = ["SimulatedEvidence", "SimulatedWorkspace", "Slice", "happen", "slices", "told_sessions"]
