"""The arrays, by their schedules."""

from .array import Array
from .delayed_array import DelayedArray
from .delayed_schedule import DelayedSchedule

__all__ = ["create_array"]


def create_array(schedule):
    """Return the array of a :class:`~.schedule.Schedule` or :class:`~.DelayedSchedule`.

    Both have the same ports, but for what a plain modulus needs.
    """
    return (DelayedArray if isinstance(schedule, DelayedSchedule) else Array)(schedule)
