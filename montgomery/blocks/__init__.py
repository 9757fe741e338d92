"""Datapath shared by two or more architectures."""
