"""Arrays: items, counts and unique items."""
