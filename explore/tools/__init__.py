"""External programs: what there is of them, how they are run, and why they failed."""
