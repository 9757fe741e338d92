"""A stage that only sleeps, for the benchmark of distribution.

It is a module of its own, so that workers import it. What the main module defines is sent with each
task.
"""

from __future__ import annotations

import dataclasses
import gzip
import hashlib
import json
import time
from typing import Any

import planning

from explore.outcome import Outcome
from explore.pipeline.cluster.worker import Files, Request
from explore.pipeline.stage import Spec

__all__ = ["Sleeper"]


@dataclasses.dataclass(frozen=True)
class Sleeper:
    """A function that sleeps and invents an outcome in place of computing one."""

    seconds: float

    def __call__(self, request: Request, *inputs: Any) -> tuple[dict[str, Any], Files]:
        time.sleep(self.seconds)
        outcome, files = self.invented(request.stage.name, request.spec)
        return outcome.to_json(), files

    def invented(self, stage: str, spec: Spec) -> tuple[Outcome, Files]:
        """Return an outcome of a stage, and its files as a store keeps them."""
        key = hashlib.sha256(json.dumps(spec, sort_keys=True).encode()).hexdigest()
        facts, texts = planning.invented(stage, key)
        files = {f"{name}.gz": gzip.compress(text.encode(), 1, mtime=0)
                 for name, text in texts.items()}
        return Outcome(facts=facts, seconds=self.seconds, host="nowhere",
                       date="2000-01-01T00:00:00+00:00",
                       files={name: hashlib.sha256(data).hexdigest()
                              for name, data in files.items()}), files
