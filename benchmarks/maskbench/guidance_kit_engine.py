"""Engine adapter for MaskBench's runner: beside `llg_engine.py` in the package `maskbench` it needs no change.

Properties in any order and all escapes of JSON: instances of the benchmark have both.
"""

import json

import numpy as np

import guidance_kit as gk

from .engine import Engine

OPTIONS = {"order": "any", "escapes": "all"}


class GuidanceKitEngine(Engine):
    def get_id(self):
        return "guidance_kit"

    def get_name(self):
        return "guidance_kit"

    def get_module(self):
        return "guidance_kit"

    def init(self):
        self.vocabulary = gk.Vocabulary.from_tokenizer(self.tokenizer)
        self.mask = np.zeros(-(-self.vocabulary.rows // 32), dtype=np.int32)
        gk.warm_up(self.vocabulary, **OPTIONS)  # what a server does at its start: kernels, modules, the trie

    def compile_grammar(self, schema: dict):
        self.index = gk.json_schema(json.dumps(schema), **OPTIONS).compile(self.vocabulary)

    def reset(self):
        self.matcher = gk.Matcher(self.index)

    def compute_mask(self):
        self.matcher.allowed(self.mask)

    def commit_token(self, token: int) -> bool:
        ok = bool(self.mask[token // 32] >> (token % 32) & 1)
        if ok:
            self.matcher.advance(token)
        return ok
