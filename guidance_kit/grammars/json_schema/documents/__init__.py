"""Schema documents: resources, references, drafts, and the check of all that they write."""
