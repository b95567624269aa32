"""Command line of the LM Evaluation Harness, with the model `guidance_kit` and the tasks of the bundled models.

    python -m guidance_kit.integrations.lm_eval run --model guidance_kit --model_args pretrained=base-large \\
        --tasks guidance_kit_topics
"""

# pyright: reportMissingImports=false, reportAttributeAccessIssue=false

from __future__ import annotations

import lm_eval.__main__

import guidance_kit.integrations.lm_eval.harness_model  # noqa: F401  # registers the model

if __name__ == "__main__":
    lm_eval.__main__.cli_evaluate()
