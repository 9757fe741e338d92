"""What surrounds a core while it is measured, and what its netlists and reports say."""
