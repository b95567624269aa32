"""Tokenizers of every kind, trained on the spot from the same few hundred lines."""

from __future__ import annotations

import io
import random
from pathlib import Path

import pytest
from packaging.version import Version
from tokenizers import AddedToken, Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers

TEXT = """the cat sat on a mat hello world order number 12345 {"name": "Ann"} naïve café résumé über straße
日本 語 слово مرحبا 🙂 👍🏽 e\u0301 \u00a0 — “quoted” def f(x):\n\treturn x"""
WORDS = TEXT.split(" ")


def lines(count: int = 400) -> list[str]:
    """Random lines of the words above and of invented ones, with runs of spaces here and there."""
    rng = random.Random(0)
    invented = ["".join(rng.choices(["ba", "ke", "lo", "mi", "nu", "ré", "sto", "пи"], k=3)) for _ in range(60)]
    return [rng.choice([" ", " ", "  "]).join(rng.choices(WORDS + invented, k=9)) for _ in range(count)]


ADDED = ["<tool>", "naïve token", "über", "日本", "\n\n\n"]
"""Added tokens that are not special; in a byte-level alphabet "über" could be misread as the byte FC and so on."""


def byte_level(folder: Path):
    """GPT-2 style, with special tokens, added text tokens, and normalization left out."""
    from transformers import PreTrainedTokenizerFast

    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=600,
        special_tokens=["<|end|>", "<|user|>"],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(lines(), trainer)
    tokenizer.add_tokens([AddedToken(text, normalized=False) for text in ADDED])
    tokenizer.add_special_tokens(["<|late|>"])
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer, eos_token="<|end|>")


def metaspace(prepend_scheme: str):
    """Unigram with a Metaspace decoder, as T5 and XLM-R have it."""

    def build(folder: Path):
        from transformers import PreTrainedTokenizerFast

        tokenizer = Tokenizer(models.Unigram())
        tokenizer.normalizer = normalizers.NFKC()
        tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme=prepend_scheme)
        tokenizer.decoder = decoders.Metaspace(prepend_scheme=prepend_scheme)
        trainer = trainers.UnigramTrainer(
            vocab_size=300, special_tokens=["<unk>", "</s>"], unk_token="<unk>", show_progress=False
        )
        tokenizer.train_from_iterator(lines(), trainer)
        tokenizer.add_tokens(ADDED)
        return PreTrainedTokenizerFast(tokenizer_object=tokenizer, eos_token="</s>", unk_token="<unk>")

    return build


def hand_made_table(folder: Path):
    """A small table without training: duplicate texts, a hole, an empty token, a Strip before the Fuse."""
    vocab = {"<unk>": 0, "A": 1, "<0x41>": 2, "▁A": 3, "_A": 4, "": 5, "__b": 7, "▁▁": 8, "c": 9, "x": 10}
    vocab |= {f"<0x{byte:02X}>": 11 + byte for byte in range(256) if byte != 0x41}
    tokenizer = Tokenizer(models.BPE(vocab=vocab, merges=[], unk_token="<unk>", byte_fallback=True))
    tokenizer.decoder = decoders.Sequence(
        [
            decoders.ByteFallback(),
            decoders.Strip("_", 1, 0),
            decoders.Replace("▁", " "),
            decoders.Fuse(),
            decoders.Replace("x", "ks"),
            decoders.Strip(" ", 1, 1),
        ]
    )
    return tokenizer


def sentencepiece_model(folder: Path, model_type: str, *, byte_fallback: bool) -> Path:
    """Train a SentencePiece model and return the file."""
    import sentencepiece

    written = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(line.replace("\n", " ") for line in lines()),
        model_writer=written,
        model_type=model_type,
        vocab_size=420,
        hard_vocab_limit=False,
        byte_fallback=byte_fallback,
        character_coverage=0.99,
        user_defined_symbols=["<tool>", "▁▁", "▁▁▁"],
        control_symbols=["<ctl>"],
        remove_extra_whitespaces=False,
        normalization_rule_name="identity",
        minloglevel=2,
    )
    path = folder / "tokenizer.model"
    path.write_bytes(written.getvalue())
    (folder / "spiece.model").write_bytes(written.getvalue())
    return path


NEEDS_NORMALISATION = {"T5Tokenizer", "XLMRobertaTokenizer"}


def converted(class_name: str, model_type: str, *, byte_fallback: bool):
    """A SentencePiece model, loaded by the named class of transformers."""

    def build(folder: Path):
        import transformers

        if class_name in NEEDS_NORMALISATION and Version(transformers.__version__) < Version("5.20"):
            pytest.skip("transformers before 5.20 cannot convert models without a normalisation to this class")
        sentencepiece_model(folder, model_type, byte_fallback=byte_fallback)
        tokenizer = getattr(transformers, class_name).from_pretrained(folder)
        tokenizer.add_tokens(ADDED)
        tokenizer.add_special_tokens({"additional_special_tokens": ["<|late|>"]})
        return tokenizer

    return build


FAST = {
    "byte-level": byte_level,
    "metaspace-first": metaspace("first"),
    "metaspace-never": metaspace("never"),
    "metaspace-always": metaspace("always"),
    "table": hand_made_table,
    "llama-bpe": converted("LlamaTokenizer", "bpe", byte_fallback=True),
    "llama-unigram": converted("LlamaTokenizer", "unigram", byte_fallback=True),
    "gemma": converted("GemmaTokenizer", "bpe", byte_fallback=True),
    "t5": converted("T5Tokenizer", "unigram", byte_fallback=False),
    "xlm-roberta": converted("XLMRobertaTokenizer", "unigram", byte_fallback=False),
}
SLOW = {
    "siglip": converted("SiglipTokenizer", "unigram", byte_fallback=True),
    "gpt-sw3": converted("GPTSw3Tokenizer", "bpe", byte_fallback=True),
}
