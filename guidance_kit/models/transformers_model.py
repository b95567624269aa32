"""Language model of transformers as a text model: a distribution that is a pure function of the prefix."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, Self

import torch
from torch import Tensor
from transformers import PreTrainedModel, PreTrainedTokenizerBase

from guidance_kit.errors import ModelError, OptionError, VocabularyError
from guidance_kit.models.chat import chat_text, reasoning_tags
from guidance_kit.models.early_layers import early_layers
from guidance_kit.models.hidden_states import HiddenStates
from guidance_kit.models.layer_outputs import early_exit_forward
from guidance_kit.models.sequence_ends import end_tokens, trailing_tokens
from guidance_kit.models.sink_cache import Bounds
from guidance_kit.models.source_encoder import is_encoder_decoder
from guidance_kit.models.spelled_text import require_text, spell
from guidance_kit.models.token_tree import TokenTree
from guidance_kit.models.trial import has_exact_siblings
from guidance_kit.models.weights import Weights
from guidance_kit.vocabulary import Vocabulary

__all__ = ["TransformersModel"]


class TransformersModel:
    """Next-token logits of a causal language model, or of an encoder-decoder model, over a cache that is never wrong.

    `logits` answers for any prefixes at any time; what they share with the prefixes asked for last is not computed
    again. The caller need not say which rows went on, went back, branched or ended. Rows that are not asked for any
    more cost nothing. `clear` lets go of what is kept.

    With adapters (`with_adapter`) several models share their weights and their cache.

    Of an encoder-decoder model the encoder reads the prompt, once, and the decoder writes the text. A prefix is the
    tokens of the prompt, the token with which the decoder begins, and the text; `prompt_tokens` makes the first two.

    Calls from several threads wait for each other. On more than one device (`device_map`), the model's own hooks move
    what they need.

    Args:
        model: any causal or encoder-decoder model of transformers; it is put into evaluation mode.
        tokenizer: its tokenizer; without one, `vocabulary` is needed, and prompts are token ids.
        vocabulary: the tokens with their bytes; read from the tokenizer by default.
        tokens_per_forward: about how many tokens are computed at once, which bounds the memory that long prompts need.
        name: what to call the model in messages; by default where it was loaded from.
    Attributes:
        model: as it was given, but that large weights of GPT-2 on a CPU are laid out by columns. No adapter acts on it
            but through `logits`.
        weights: the same object for all models that share them.
        adapter: through which of the adapters on the weights this model goes, None for none.
    Raises:
        ModelError: neither a tokenizer nor a vocabulary; a model without logits over a vocabulary.
        VocabularyError: a vocabulary of another number of rows.
    """

    has_full_support = True
    """No softmax is 0; see `decoding.distribution.has_full_support`."""

    def __init__(
        self,
        model: PreTrainedModel,
        tokenizer: PreTrainedTokenizerBase | None = None,
        *,
        vocabulary: Vocabulary | None = None,
        tokens_per_forward: int = 8192,
        name: str = "",
    ) -> None:
        self.model = model
        self.tokenizer = tokenizer
        ending = trailing_tokens(tokenizer) if tokenizer is not None and is_encoder_decoder(model) else ()
        self.weights = Weights(model, tokens_per_forward=tokens_per_forward, ending=ending)
        self.adapter: str | None = None
        self._states: HiddenStates | None = None
        self.rows = self.weights.forward.rows
        self.context_length: int | None = self.weights.forward.context_length
        if tokenizer is None and vocabulary is None:
            raise ModelError("a language model needs a tokenizer or a vocabulary")
        if vocabulary is not None and vocabulary.rows != self.rows:
            raise VocabularyError(f"a vocabulary of {vocabulary.rows} rows for a model of {self.rows}")
        self._vocabulary = vocabulary
        self.name = name or model.name_or_path or type(model).__name__

    def __repr__(self) -> str:
        return f"TransformersModel({self.name}, {self.rows} rows, context {self.context_length}, on {self.device})"

    @property
    def vocabulary(self) -> Vocabulary:
        """The tokens with their bytes."""
        if self._vocabulary is None:
            ends = end_tokens(self.model.generation_config, self.model.config, self.tokenizer)
            self._vocabulary = Vocabulary.from_tokenizer(self.tokenizer, rows=self.rows, eos=ends or None)
        return self._vocabulary

    @property
    def device(self) -> torch.device:
        """Device of the input embeddings."""
        return self.weights.forward.device

    @property
    def bytes(self) -> int:
        """Memory held for what was computed, without the model itself."""
        return self.weights.bytes + (0 if self._states is None else self._states.bytes)

    @property
    def embeddings(self) -> tuple[Any, Any]:
        """Input and output embeddings.

        Raises:
            ModelError: the model has no output embeddings, or an adapter.
        """
        inputs: Any = self.model.get_input_embeddings()
        outputs: Any = self.model.get_output_embeddings()
        if inputs is None or outputs is None:
            raise ModelError(f"{type(self.model).__name__} has no output embeddings, so no layer of it has logits")
        if self.adapter is not None:
            raise ModelError(f"{self.name} has an adapter; draft heads are for models without one")
        return inputs, outputs

    @property
    def prompt_style(self) -> str:
        """Style of prompts for extraction, a key of `models.prompts.PROMPTS`."""
        return getattr(self.model.config, "guidance_kit_prompt", "instruction")

    @property
    def start_token(self) -> int | None:
        """Beginning-of-sequence token of the tokenizer."""
        return getattr(self.tokenizer, "bos_token_id", None)

    @property
    def has_chat_template(self) -> bool:
        """True if the tokenizer knows how the model writes conversations."""
        return getattr(self.tokenizer, "chat_template", None) is not None

    def encode(self, text: str, *, with_special_tokens: bool = True) -> list[int]:
        """Token ids of a prompt; special tokens that it spells are recognised.

        Args:
            with_special_tokens: add those that the tokenizer puts at the start of a sequence. Those that it puts at
                the end are never added: a prompt is to be continued.
        Raises:
            ModelError: there is no tokenizer.
            OptionError: it is no text, or has a lone surrogate, which no tokenizer takes.
        """
        tokenizer = self._require_tokenizer()
        tokens = tokenizer.encode(require_text(text), add_special_tokens=with_special_tokens)
        return list(tokens[: len(tokens) - self._trailing] if with_special_tokens else tokens)

    @property
    def has_encoder(self) -> bool:
        """True for an encoder-decoder model: its encoder reads prompts, and its decoder writes texts."""
        return self.weights.forward.encoder is not None

    @property
    def decoder_start(self) -> list[int]:
        """Tokens with which the decoder of an encoder-decoder model begins; none for a causal model."""
        encoder = self.weights.forward.encoder
        return [] if encoder is None else [encoder.start, *encoder.forced]

    def prompt_tokens(self, tokens: Sequence[int]) -> list[int]:
        """Token ids of a prompt as prefixes begin with them.

        For a causal model they are those given. For an encoder-decoder model the tokens with which the decoder begins
        follow: `decoder_start_token_id`, and `forced_bos_token_id` where the model has one. Where they are there
        already nothing is added. An empty prompt is that of an encoder that reads the end of a sequence alone.

        Args:
            tokens: as from `encode` or the tokenizer.
        Raises:
            ModelError: an empty prompt for an encoder that expects no such end.
        """
        encoder = self.weights.forward.encoder
        return list(tokens) if encoder is None else encoder.prompt_tokens(tokens)

    def spell(self, text: str) -> list[int]:
        """Token ids that add up to a text in the middle of another one.

        Raises:
            UnspellableError: there are none; names the characters at fault.
            ModelError, OptionError: as `encode`.
        """
        return spell(text, lambda one: self.encode(one, with_special_tokens=False), self.vocabulary)

    def decode(self, tokens: Sequence[int]) -> str:
        """Text of token ids, special ones left out; broken characters become U+FFFD."""
        return self.vocabulary.text_of(tokens).decode(errors="replace")

    @property
    def reasoning_tags(self) -> tuple[str, str, str] | None:
        """Texts around thoughts in the chat template; None without a template, or one without thoughts."""
        return reasoning_tags(getattr(self.tokenizer, "chat_template", None))

    def chat(self, messages: Sequence[Mapping[str, Any]], **template_options: Any) -> list[int]:
        """Token ids of a conversation, up to where the model answers.

        Args:
            messages: `{"role": "user", "content": "..."}` each.
            template_options: what the template itself knows, e.g. `enable_thinking=False`.
        Raises:
            ModelError: there is no tokenizer; it has no chat template; the template refuses the messages.
        """
        written = chat_text(self._require_tokenizer(), messages, template_options)
        return self.encode(written, with_special_tokens=False)

    def with_adapter(self, source: str | Path) -> Self:
        """This model with a LoRA adapter: another model, which shares the weights and the cache of this one.

        This model stays as it is. Terms of a formula that share weights are rows of one forward pass, unless the
        adapter has DoRA, another variant of LoRA, or modules that are saved whole; see `Adapters`. What the adapter
        weighs is kept as long as the model.

        Args:
            source: a folder, or a name on the model hub.
        Raises:
            ModelError: peft is not installed; there is no such adapter, or it does not fit; this model has one already.
        """
        if self.adapter is not None:
            raise ModelError(f"{self.name} has an adapter; put the other one on the model without it")
        _ = self.vocabulary  # read once for all
        made = copy.copy(self)
        made.adapter = self.weights.load_adapter(source)
        made.name = f"{self.name} with {Path(source).name}"
        return made

    def early_exit(self, layers: Sequence[int]) -> Self:
        """This model with the logits of one of its early layers: another model, which shares the weights.

        They are the output of a layer, as it is, through the output embeddings. Of several layers the one is taken, at
        each position, whose distribution differs most from that of the whole model, by the Jensen-Shannon divergence.
        It runs on its own, with a cache of its own: a step costs as much as one of the whole model.

        Args:
            layers: numbers of layers, 0 for the embeddings, below the number of layers of the model.
        Raises:
            OptionError: a number out of range; none.
            ModelError: the model has an adapter, an encoder, or no output embeddings.
        Source: Chuang et al. 2024, DoLa: Decoding by Contrasting Layers, sections 2.1 and 2.2.
        """
        self._require_causal("early layers are read of")
        if self.adapter is not None:
            raise ModelError(f"{self.name} has an adapter; early layers are read of models without one")
        weights = Weights(self.model, forward=early_exit_forward(self.model, layers))
        return self._with_weights(weights, f"{self.name} at layer {', '.join(map(str, layers))}", self.model)

    def early_layers(self, count: int) -> Self:
        """First layers of this model with its final norm and head: a smaller model, which shares the weights.

        Only these layers run, with a cache of their own, so that a step costs about their share of one of the whole
        model. `early_exit` reads layers of the whole model instead, without the norm. Models that were not trained to
        answer early (LayerSkip) answer badly there.

        Args:
            count: number of layers, at least 1 and less than the model has.
        Raises:
            OptionError: a count out of range.
            ModelError: the model has an adapter or an encoder; its first layers do not run alone, as where later
                layers use their keys; see `models.early_layers`.
        Source: Elhoushi et al. 2024, LayerSkip: Enabling Early Exit Inference and Self-Speculative Decoding, section 4.
        """
        self._require_causal("early layers are read of")
        if self.adapter is not None:
            raise ModelError(f"{self.name} has an adapter; early layers are read of models without one")
        model = early_layers(self.weights.forward, count)
        return self._with_weights(Weights(model), f"the first {count} layers of {self.name}", model)

    def bounded_cache(self, *, sinks: int = 4, window: int) -> Self:
        """This model over a cache of bounded size: approximate, and another model, which shares the weights.

        A token attends to the first tokens of the text and to a recent window alone. So the logits are those of the
        model for prefixes of up to `window` tokens, and differ beyond; time and memory of a step do not grow with the
        text. Positions are those in the text, so that texts are bounded by the context of the model as before.

        Args:
            sinks: number of first tokens, at least 0.
            window: number of last tokens, at least 1.
        Raises:
            OptionError: a number out of range.
            ModelError: the model has an adapter or an encoder; not all of its layers have full attention, or it takes
                no mask as given.
        Source: see `SinkCache`.
        """
        for name, value, least in (("sinks", sinks, 0), ("window", window, 1)):
            if isinstance(value, bool) or not isinstance(value, int) or value < least:  # pyright: ignore[reportUnnecessaryIsInstance]
                raise OptionError(f"{name} must be an integer, at least {least}, not {value!r}")
        self._require_causal("a bounded cache is for")
        if self.adapter is not None:
            raise ModelError(f"{self.name} has an adapter; a bounded cache is for models without one")
        if not has_exact_siblings(self.weights.forward):
            raise ModelError(
                f"{type(self.model).__name__} cannot have a bounded cache: not all of its layers have full attention, "
                "or it has a mask of its own"
            )
        weights = Weights(self.model, bounds=Bounds(sinks, window))
        return self._with_weights(weights, f"{self.name} with {sinks} sinks and the last {window} tokens", self.model)

    def _with_weights(self, weights: Weights, name: str, model: PreTrainedModel) -> Self:
        """Another model with the tokens of this one."""
        _ = self.vocabulary  # read once for all
        made = copy.copy(self)
        made.model, made.weights, made.name, made._states = model, weights, name, None
        return made

    def hidden_states(self, prefixes: Sequence[Sequence[int]], positions: int = 1) -> Tensor:
        """Hidden states of the last layer at the last `positions` tokens of each prefix.

        From the first call on, one forward pass gives both logits and hidden states, over a cache apart from that of
        logits alone; those of the last pass are kept, and not computed again.

        Args:
            prefixes, positions: as in `logits`.
        Returns:
            Float, (batch, positions, width).
        Raises:
            ModelError: the model has an adapter or an encoder; and as `logits`.
        """
        self._require_causal("hidden states are read of")
        if self.adapter is not None:
            raise ModelError(f"{self.name} has an adapter; hidden states are read of models without one")
        if self._states is None:
            self._states = HiddenStates(self.model, self.rows)
        return self._states.of(prefixes, positions)

    def clear(self) -> None:
        """Let go of what is kept for later questions."""
        self.weights.clear()
        self._states = None

    def room(self, prompt: Sequence[int]) -> int | None:
        """Number of tokens that fit after a prompt, None without a limit; see `Distribution.room`.

        The text of an encoder-decoder model has a context of its own.

        Raises:
            ContextLengthError: the prompt exceeds the context of the encoder.
        """
        length = len(prompt)
        if (encoder := self.weights.forward.encoder) is not None:
            source, text = encoder.parts(prompt)
            encoder.require_room(source)
            length = len(text)
        return None if self.context_length is None else self.context_length - length

    def logits(
        self,
        prefixes: Sequence[Sequence[int]],
        positions: int = 1,
        *,
        starts: Sequence[int] = (),
        allowed: Callable[[torch.device], Tensor] | None = None,
    ) -> Tensor:
        """Unnormalised log-probabilities of the token after each of the last `positions` prefixes.

        See `decoding.Distribution.logits`. The tensor belongs to `torch.inference_mode`.

        Args:
            prefixes: token ids, of any lengths, none of them empty.
            positions: at least 1, at most the length of the shortest prefix.
            starts, allowed: make no difference.
        Returns:
            Logits of the model's dtype, (batch, positions, rows), nats.
        Raises:
            OptionError: a prefix is something else than token ids, as a text or bytes.
            ModelError: no prefix; an empty one, or one shorter than `positions`.
            ContextLengthError: a prefix longer than the context.
            VocabularyError: a token that the model does not have.
        """
        if self._states is not None:
            return self._states.logits(prefixes, positions)
        adapters = () if self.adapter is None else [self.adapter] * len(prefixes)
        return self.weights.logits(prefixes, positions, adapters=adapters)

    @property
    def can_have_trees(self) -> bool:
        """True if `tree_logits` is possible: not over sliding windows, recurrent layers, or a bounded cache."""
        return self.weights.can_have_trees

    def tree_logits(
        self,
        prefixes: Sequence[Sequence[int]],
        trees: Sequence[TokenTree],
        *,
        starts: Sequence[int] = (),
        allowed: Callable[[torch.device], Tensor] | None = None,
    ) -> Tensor:
        """Unnormalised log-probabilities of the token after each prefix, and after each node of a tree behind it.

        One forward pass computes all, by a mask in which a node attends to its ancestors. The next call does not
        compute again what is on a path of a tree.

        Args:
            prefixes: token ids, of any lengths, none of them empty.
            trees: one a prefix; see `can_have_trees`.
            starts, allowed: make no difference.
        Returns:
            Logits of the model's dtype, (batch, 1 + most nodes, rows), nats: [b, 0] is the token after prefixes[b],
            [b, 1 + i] the one after node i of trees[b]; without meaning if there is no such node.
        Raises:
            ModelError: as `logits`.
        Source: Miao et al. 2024, SpecInfer: Accelerating Large Language Model Serving with Tree-based Speculative
            Inference and Verification, section 4.2.
        """
        if self._states is not None:
            return self._states.tree_logits(prefixes, trees)
        adapters = () if self.adapter is None else [self.adapter] * len(prefixes)
        return self.weights.tree_logits(prefixes, trees, adapters=adapters)

    def _require_tokenizer(self) -> PreTrainedTokenizerBase:
        if self.tokenizer is None:
            raise ModelError(f"{self.name} was wrapped without a tokenizer; give prompts as token ids")
        return self.tokenizer

    def _require_causal(self, purpose: str) -> None:
        """Refuse what is for causal models alone.

        Raises:
            ModelError: the model has an encoder.
        """
        if self.has_encoder:
            raise ModelError(f"{self.name} is an encoder-decoder model; {purpose} models without an encoder")

    @cached_property
    def _trailing(self) -> int:
        """Number of special tokens that the tokenizer puts at the end of a sequence."""
        return len(trailing_tokens(self._require_tokenizer()))
