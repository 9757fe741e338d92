"""Many machines: an executor whose slots are the threads of Dask workers.

Graph, keys, locks, store and attempts stay with the process that sweeps. Workers know nothing of
them: they get a specification and files, and return an outcome and files. The store is never opened
by a worker, and needs no disk that machines share.
"""

from .executor import ClusterExecutor

__all__ = ["ClusterExecutor"]
