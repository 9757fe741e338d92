"""Formal proofs: of blocks against their specifications, and of the streams of whole cores."""

from __future__ import annotations

from .engine import Prover, hardware_rtlil
from .obligations import Obligation, block_obligations, claims, core_obligations, smallest, tabulate
from .proof import Proof, Verdict

__all__ = ["Obligation", "Proof", "Prover", "Verdict", "block_obligations", "claims",
           "core_obligations", "hardware_rtlil", "smallest", "tabulate"]
