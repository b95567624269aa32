"""Formats of strings, as automata."""
