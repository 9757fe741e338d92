"""The points that are to be measured."""
