"""MaskBench's own runner, unchanged, with one more engine, `--guidance-kit`, and llguidance under NumPy 2.

    PYTHONPATH=CHECKOUT/maskbench python benchmarks/maskbench/worker.py --guidance-kit --tokenizer FOLDER FILE...

Started by `run.py`; options are those of `maskbench.runner`.
"""

from __future__ import annotations

import gc
import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent

OURS = "--guidance-kit"
"""Option that chooses our adapter."""


def runner_with_adapters() -> Any:
    """The module `maskbench.runner`, whose options and `get_engine` know the adapters."""
    sys.path = [folder for folder in sys.path if Path(folder).resolve() not in (HERE, HERE.parent)]
    import maskbench
    from maskbench import runner

    maskbench.__path__.append(str(HERE))  # adapters are modules of the package, as they would be upstream
    parser_of, engine_of = runner.setup_argparse, runner.get_engine

    def setup_argparse() -> Any:
        parser = parser_of()
        parser.add_argument(OURS, action="store_true", help="Enable guidance_kit")
        return parser

    def get_engine(args: Any) -> Any:
        if args.guidance_kit:
            from maskbench.guidance_kit_engine import GuidanceKitEngine as Adapter
        elif args.llg:
            from maskbench.llguidance_engine import LLGuidanceEngine as Adapter
        else:
            return engine_of(args)
        engine = Adapter()
        engine.multi, engine.debug, engine.tokenizer_model_id = args.multi, args.debug, args.tokenizer
        return engine

    def get_frozen_engine(args: Any) -> Any:
        """As servers do at their start (vLLM, say): garbage collections do not look at what has been loaded."""
        engine = get_engine(args)
        init = engine.init

        def init_and_freeze() -> None:
            init()
            gc.collect()
            gc.freeze()

        engine.init = init_and_freeze
        return engine

    runner.setup_argparse, runner.get_engine = setup_argparse, get_frozen_engine
    return runner


if __name__ == "__main__":
    runner_with_adapters().main()
