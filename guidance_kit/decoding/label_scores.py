"""Exact log-probabilities of labels after prompts, by a trie of their tokens, in few batches."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

import numpy as np
import torch
from torch import Tensor

from guidance_kit.decoding.batching import halved_batch_size, is_out_of_memory, too_large
from guidance_kit.decoding.distribution import Distribution
from guidance_kit.decoding.generation import check_prompts
from guidance_kit.decoding.label_trie import LabelTrie, Node
from guidance_kit.decoding.padding_rows import padding_rows
from guidance_kit.errors import BatchError, ContextLengthError, FormulaError, ModelError
from guidance_kit.vocabulary import Vocabulary

__all__ = ["End", "NextLogprobs", "TrieScores", "check_label_room", "score_labels"]

End = Literal["any", "eos"]
"""End of a label: "any" continuation that gives no longer label, or "eos", the end of the sequence."""


def score_labels(
    distribution: Distribution,
    vocabulary: Vocabulary,
    prompts: Sequence[Sequence[int]],
    trie: LabelTrie,
    *,
    end: End = "any",
    batch_size: int = 32,
) -> np.ndarray:
    """Log-probability of each label after each prompt.

    With `end="any"` a text has the longest label that is a prefix of it: of "refund" and "refund request", the first
    gets the probability of its prefix less that of the second. With "eos" the label is the whole text. Either way no
    text counts for two labels, so the probabilities sum to the total mass of the labels, at most 1. Only the given
    tokenization of each label counts.

    The prompts run first, then the branches of the trie, those of equal length as blocks of positions over the cached
    prompts. When a prompt fails, bisection of its batch finds it, and the others are retried without it.

    Args:
        prompts: token ids.
        batch_size: number of sequences that run at once, at least 1; a prompt takes one for each branch of the trie.
    Returns:
        Float64, (prompts, labels), nats; -inf for impossible labels.
    Raises:
        ContextLengthError: a prompt leaves no room for the longest label; before the model runs. A note has its number.
        VocabularyError: a prompt with a token id outside the rows of the model.
        ModelError: an empty prompt; NaN or infinite logits (the message has the prompt); too little memory for one
            prompt alone.
        FormulaError: a formula gives no distribution; a note has the prompt.
        BatchError: one of several prompts fails while the model runs; `results` has the scores of the others, (labels,)
            each.
    """
    check_label_room(distribution, prompts, trie.longest + (end == "eos"))
    branches = trie.branches(with_ends=end == "eos")
    per_prompt = max(map(len, branches.values()), default=1)
    size = batch_size
    scores = np.empty((len(prompts), trie.count))
    failed: dict[int, Exception] = {}
    groups = [list(range(len(prompts)))]
    while groups:
        group = groups.pop()
        count = max(1, size // per_prompt)
        rows, later = group[:count], group[count:]
        failure = None
        try:
            trie_scores = TrieScores(trie, vocabulary, end)
            for row, path, logits in _logits_of_paths(distribution, prompts, rows, trie, branches, size):
                trie_scores.take(row, path, logits)
            for row in rows:
                scores[row] = trie_scores.scores(row)
        except (ModelError, MemoryError, RuntimeError) as error:
            if not isinstance(error, ModelError) and not is_out_of_memory(error):
                raise
            failure = error.with_traceback(None)  # whose frames keep their tensors alive
        running = min(size, len(rows) * per_prompt)
        if failure is None:  # outside of the handler, for the same reason
            groups.append(later)
        elif is_out_of_memory(failure) and running > 1:
            size = halved_batch_size(running, failure)
            groups.append(group)
        elif len(rows) == 1:
            failed[rows[0]] = too_large(failure) if is_out_of_memory(failure) else failure
            size = batch_size  # which may be right for the others
            groups.append(later)
        else:
            middle = len(rows) // 2
            groups += [later, rows[middle:], rows[:middle]]
        groups = [group for group in groups if group]
    if failed:
        first = failed[min(failed)]
        if len(prompts) == 1:
            raise first
        raise BatchError(failed, [None if row in failed else scores[row] for row in range(len(prompts))]) from first
    return scores


def check_label_room(distribution: Distribution, prompts: Sequence[Sequence[int]], needed: int) -> None:
    """Validate prompts, each with room for the longest label.

    Args:
        needed: tokens of the longest label, with its end if that is scored.
    Raises:
        ModelError, VocabularyError, ContextLengthError: as `score_labels`.
    """
    check_prompts(distribution, prompts)
    for number, prompt in enumerate(prompts):
        room = distribution.room(prompt)
        if room is not None and room < needed:
            error = ContextLengthError(tokens=len(prompt) + needed, context_length=len(prompt) + room)
            error.add_note(f"prompt {number} has {len(prompt)} tokens, and the longest label takes {needed}")
            raise error


def _logits_of_paths(
    distribution: Distribution,
    prompts: Sequence[Sequence[int]],
    rows: Sequence[int],
    trie: LabelTrie,
    branches: dict[int, list[list[int]]],
    batch_size: int,
) -> Iterator[tuple[int, list[int], Tensor]]:
    """Yield logits after the nodes of each path: number of the prompt, path, float, (length of the path, rows)."""
    for length, paths in {0: [[0]], **branches}.items():
        wanted = [(row, path) for row in rows for path in paths]
        for begin in range(0, len(wanted), batch_size):  # several batches only for a single prompt
            some = wanted[begin : begin + batch_size]
            prefixes = [[*prompts[row], *trie.nodes[path[-1]].path] for row, path in some]
            starts = [len(prompts[row]) for row, _ in some]
            try:
                blocks = distribution.logits(prefixes, max(length, 1), starts=starts)
            except FormulaError as error:
                row, path = some[error.row]
                error.add_note(f"after prompt {row}, and {length} tokens of a label")
                raise
            for (row, path), block in zip(some, blocks, strict=True):
                yield row, path, block


class NextLogprobs(NamedTuple):
    """Log-probabilities after a node, nats: of each token to a child, and of the end of the node's label.

    With `end="any"` the end is any token but these, with "eos" an end-of-sequence token.
    """

    children: dict[int, float]
    end: float


class TrieScores:
    """Log-probabilities after the nodes of a trie that are known so far, by prompt.

    Args:
        trie: of the labels.
        vocabulary: of the model.
        end: as in `score_labels`.
    """

    def __init__(self, trie: LabelTrie, vocabulary: Vocabulary, end: End) -> None:
        self._trie = trie
        self._end = end
        self._padding = padding_rows(vocabulary)
        self._eos = torch.tensor(vocabulary.eos, dtype=torch.int64)
        self._known: dict[tuple[int, int], NextLogprobs] = {}

    def take(self, row: int, path: Sequence[int], logits: Tensor) -> None:
        """Record the log-probabilities from the logits after the nodes of a path.

        Raises:
            ModelError: the logits are no distribution.
        """
        for number, values in zip(path, logits, strict=True):
            if (row, number) not in self._known:
                self.put(row, number, self._read(row, self._trie.nodes[number], values))

    def put(self, row: int, node: int, found: NextLogprobs) -> None:
        """Record the log-probabilities after a node, by its number."""
        self._known[row, node] = found

    def _read(self, row: int, node: Node, logits: Tensor) -> NextLogprobs:
        logits = logits.to(torch.float64, copy=True)
        logits[self._padding.to(logits.device)] = -torch.inf
        total = float(logits.logsumexp(-1))
        if not math.isfinite(total):
            raise ModelError(
                f"the model returned NaN or infinite logits after prompt {row} and {len(node.path)} tokens of a "
                "label; half precision may overflow, try a wider dtype"
            )
        tokens = torch.tensor(list(node.children), dtype=torch.int64, device=logits.device)
        children = dict(zip(node.children, (logits[tokens] - total).tolist(), strict=True))
        if self._end == "eos":
            return NextLogprobs(children, float(logits[self._eos.to(logits.device)].logsumexp(-1)) - total)
        if node.owner is None:
            return NextLogprobs(children, -math.inf)
        logits[tokens] = -torch.inf
        return NextLogprobs(children, float(logits.logsumexp(-1)) - total)

    def scores(self, row: int) -> np.ndarray:
        """Log-probabilities of the labels after a prompt: float64, (labels,), nats."""
        reached = [0.0] * len(self._trie.nodes)
        found = np.full(self._trie.count, -np.inf)
        for number, node in enumerate(self._trie.nodes):
            follows = self._known.get((row, number), NextLogprobs({}, 0.0))
            for token, child in node.children.items():
                reached[child] = reached[number] + follows.children[token]
            if self._end == "eos":
                if node.label is not None:
                    found[node.label] = reached[number] + follows.end
            elif node.owner is not None:  # a text that leaves the trie here has no longer label as a prefix
                found[node.owner] = np.logaddexp(found[node.owner], reached[number] + follows.end)
        return found
