"""External programs: finding them, running them, and explaining their failures."""
