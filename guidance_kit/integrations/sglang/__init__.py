"""Grammar backend for SGLang. Its classes were tested with those of the package, and never in a running engine."""
