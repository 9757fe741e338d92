"""The measurement of points: stages, the graph that they form, and what computes it."""
