"""Searches: the points of a space that no other one beats, by few placements."""
