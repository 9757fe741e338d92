"""Many machines: an executor whose slots are the threads of Dask workers.

Graph, keys, locks and store stay with the process that sweeps. Workers know nothing of them: they
get a specification and files, and return an outcome and files.
"""

from .executor import ClusterExecutor

__all__ = ["ClusterExecutor"]
