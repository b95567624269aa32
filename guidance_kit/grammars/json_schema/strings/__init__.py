"""Strings: their languages, escapes and spellings in JSON text."""
