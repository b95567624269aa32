"""Automata over bytes and the index of tokens: from a network to a mask. No torch, no grammar syntax."""
