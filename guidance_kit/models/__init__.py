"""Language models of transformers behind one interface: any prefixes in, logits out, a cache that is never wrong."""

from guidance_kit.models.kv_cache import KVCache
from guidance_kit.models.language_model import LanguageModel
from guidance_kit.models.loading import BUNDLED, bundled_models, load

__all__ = ["BUNDLED", "KVCache", "LanguageModel", "bundled_models", "load"]
