"""Structured outputs of vLLM by our constraints: a backend, installed by a plugin.

`register` of `plugin` is an entry point of vLLM's group `vllm.general_plugins`, and does nothing unless
GUIDANCE_KIT_VLLM is set.
"""
