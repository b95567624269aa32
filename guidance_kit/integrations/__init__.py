"""Foreign engines, one file each."""
