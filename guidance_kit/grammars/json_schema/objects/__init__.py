"""Objects: members, the order of keys, unique keys and the rules of objects."""
