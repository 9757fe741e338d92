"""Workers that outlive the sweep that started them, since to start one takes longer than a test."""

import threading

from explore.pipeline.worker import Workers

__all__ = ["LentWorkers", "end_all"]

_lock = threading.Lock()
_idle = []


class LentWorkers(Workers):
    """Workers of one sweep; idle ones go on to the next sweep of this process of tests."""

    def _start(self):
        with _lock:
            fit = next((worker for worker in reversed(_idle) if worker.process.poll() is None),
                       None)
            if fit is not None:
                _idle.remove(fit)
                # So that it ends where the sweep is interrupted.
                self._processes._live.add(fit.process)
                return fit
        return super()._start()

    def close(self):
        if not self._processes.stopped:
            with self._lock:
                mine, self._idle = self._idle, []
            for worker in mine:
                self._processes._live.discard(worker.process)
            with _lock:
                _idle.extend(mine)
        super().close()


def end_all():
    """End the workers that wait for another sweep."""
    with _lock:
        for worker in _idle:
            worker.close()
            worker.process.wait()
        _idle.clear()
