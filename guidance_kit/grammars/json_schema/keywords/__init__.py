"""Keywords: the support table and the readers of each keyword."""
