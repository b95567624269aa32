"""Numbers that kernels and the Python code around them share: answers, bits, sentinels and bounds."""

from __future__ import annotations

BLOCK = 16
"""Masks in a block."""

DEAD = 0
"""Number of the configuration that nothing can be read from and that is not complete."""

UNKNOWN = -1
"""Entry of the transition table that has not been computed."""

FINISHED = -1
"""Instead of a configuration: the end-of-sequence token was taken."""

COMPLETE, WAITING, NAMED = 1, 2, 4
"""Bits of a configuration: the text is complete here; one of its states has a `recall` edge; one has a `fresh` edge."""

BARRED = 8
"""Bit in what `close` is given: `fresh` edges are not taken."""

PASSED = 1 << 30
"""Bit in the answer of `advance_named`: a name ended within the token."""

IS_LITERAL = 1 << 30
"""Bit of a position in `Arena.stack` that is a state and not a configuration, see `literals`."""

INHERIT = -2
"""In `Arena.entries`: take over the callers of the reference (a call in last position)."""

PENDING = -1
"""Answer to a request that no kernel has looked at yet, see `find_masks`."""

FREE, TAKEN, STOPPED, OFFERED, ANSWERED = range(5)
"""States of the requests of an arena: no thread is at work; one is; they cannot go on; Python does what they need; all
are answered."""

ALONE, LEADING, HELPING = range(3)
"""Parts of a thread in `find_masks`: no other thread has one; it also does what kernels need; it does not."""

PATIENCE = 1 << 21
"""Requests that a thread looks at in vain, while it is HELPING, before it gives up: some five milliseconds."""

NEED_RULES, FULL_NODES, FULL_CONFIGS, FULL_WORK, FULL_CACHE = -2, -3, -4, -5, -6
NEED_COSTS, FULL_CALLERS, FULL_NOTED, FULL_SETS = -8, -9, -10, -11
"""Answers of kernels that cannot go on: what they need, or which arrays are full."""

ALL, SHORTEST, ROUGHLY = range(3)
"""Kinds of search of `find_ends`."""

FOUND, UNDECIDED, WHOLE, REST = -3, -2, -1, 0
"""Ways in which `find_masks` finds a mask: it is found, and to be kept; not decided yet; by walking all tokens; by
walking those that are not in the longest of `TrieArrays.bases`, and if the mask is `like` that of another configuration
than DEAD, only as far as their first bytes lead elsewhere from there; or, j, the tails of slice j - 1."""

PART = 1 << 16
"""Bit of `STATE.alike`: what returns to the state is part of a partition, see `Network.ends_part`."""

MOST_BYTES = 255
"""Longest token that a trie can hold."""

WORD_KINDS = 5
"""Number of the kinds of letters and digits, which are the first of `byte_kinds.KINDS`."""

MOST_NOTED = 512
"""Tokens beyond its base with which a mask is kept as a list."""

MOST_COST = 1 << 29
"""Stands for all greater costs."""
