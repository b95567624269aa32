"""Inclusion of one schema in another: the difference as a schema, its shortest instance, and an independent judge."""
