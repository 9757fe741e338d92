"""Many machines: an executor whose slots are the threads of Dask workers.

Graph, keys, locks and store stay with the process that sweeps. Workers know nothing of them: they
get a specification and files, and return an outcome and files. Dask chooses the worker, and has a
stage computed elsewhere if its worker is lost. The store is never opened by a worker.
"""

from .executor import ClusterExecutor

__all__ = ["ClusterExecutor"]
