"""Measures points: stages, the graph that they form, and the program that computes the graph."""
