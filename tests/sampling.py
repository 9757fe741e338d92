"""Leaves out cases of tests that have many similar ones.

A test marked ``sample(n)`` runs n of its cases, the first and the last and some between, or n of
each core with ``each_core=True``. All of them run with ``--all-cases``.
"""

from collections import defaultdict

from montgomery import CoreParameters

__all__ = ["sample"]


def sample(items):
    """Return the collected tests that are in the sample of their cases."""
    groups = defaultdict(list)
    for item in items:
        if mark := item.get_closest_marker("sample"):
            core = _core(item) if mark.kwargs.get("each_core") else None
            groups[item.path, item.originalname, core].append((item, mark.args[0]))
    left_out = set()
    for cases in groups.values():
        count = cases[0][1]
        spread = {round(index * (len(cases) - 1) / max(count - 1, 1)) for index in range(count)}
        left_out |= {item for index, (item, _) in enumerate(cases) if index not in spread}
    return [item for item in items if item not in left_out]


def _core(item):
    return next(type(value) for value in item.callspec.params.values()
                if isinstance(value, CoreParameters))
