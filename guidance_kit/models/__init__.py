"""Language models behind one wrapper: loading, batches, key-value cache."""
