"""Measurements: their columns, files, frames and summaries."""
