"""Proofs: signed tree heads, bundles of actions and of organizations, and their verification against what is here."""

from assent_service.proofs.assembly import ProofParts, open_proofs
from assent_service.proofs.proofs import Proofs
from assent_service.proofs.sampling import ProofSample, Sampling

__all__ = ["ProofParts", "ProofSample", "Proofs", "Sampling", "open_proofs"]
