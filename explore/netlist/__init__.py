"""The hardware around a core that is measured, and readers of its netlists and reports."""
