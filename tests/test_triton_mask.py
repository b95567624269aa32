"""The Triton kernel: in Triton's interpreter and through its compiler on any machine, and on a GPU."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from marks import slow
from triton_cases import CASES, check, laid_out, masks_of, same_bits

from guidance_kit.guides import apply_mask

TESTS = Path(__file__).resolve().parent

HAS_TRITON = apply_mask.find_spec("triton") is not None
needs_triton = pytest.mark.skipif(not HAS_TRITON, reason="needs Triton, which comes with torch for CUDA")


@needs_triton
@pytest.mark.slow
def test_the_kernel_in_the_interpreter():
    """In a process of its own: the interpreter has to be chosen before Triton is imported."""
    path = os.pathsep.join([str(TESTS.parent), os.environ.get("PYTHONPATH", "")])
    run = subprocess.run(
        [sys.executable, TESTS / "triton_cases.py"],
        env=os.environ | {"TRITON_INTERPRET": "1", "PYTHONPATH": path},
        capture_output=True,
        text=True,
    )
    assert run.stdout == f"{len(CASES)} cases agree\n", run.stderr


@needs_triton
@pytest.mark.parametrize("arch", [80, *slow(90)])
@pytest.mark.parametrize("dtype", ["fp32", *slow("fp16"), "bf16", *slow("fp64")])
@pytest.mark.parametrize("has_places", [False, True])
def test_the_kernel_compiles(arch, dtype, has_places, tmp_path, monkeypatch):
    """For rows of a multiple of 16 logits it moves 16 bytes at a time; threads of a program never wait for another."""
    from triton import compile
    from triton.backends.compiler import GPUTarget
    from triton.compiler import ASTSource

    from guidance_kit.guides.triton_mask import _WORDS, _forbid_rows

    monkeypatch.setenv("TRITON_CACHE_DIR", str(tmp_path))
    signature = {
        "logits": f"*{dtype}",
        "masks": "*i32",
        "which": "*i32" if has_places else "constexpr",
        "masked": f"*{dtype}",
        "rows": "i32",
        "words": "i32",
        "logits_stride": "i32",
        "logits_step": "constexpr",
        "WORDS": "constexpr",
    }
    constants = {"logits_step": 1, "WORDS": _WORDS} | ({} if has_places else {"which": None})
    aligned = [(name, list(signature).index(name)) for name in ("logits", "masks", "masked", "rows", "logits_stride")]
    source = ASTSource(
        _forbid_rows, signature, constants, {(place,): [["tt.divisibility", 16]] for _, place in aligned}
    )
    ptx = compile(source, target=GPUTarget("cuda", arch, 32), options={"enable_fp_fusion": False}).asm["ptx"]
    wide = "v2.b64" if dtype == "fp64" else "v4.b32"
    assert f"ld.global.{wide}" in ptx
    assert f"st.global.{wide}" in ptx
    assert "bar.sync" not in ptx


@needs_triton
@pytest.mark.skipif(torch.cuda.is_available(), reason="needs a machine on which Triton fails")
def test_where_triton_fails_it_is_said_why(monkeypatch):
    from guidance_kit.guides import triton_mask

    cpu = torch.device("cpu")
    assert "RuntimeError" in triton_mask.failure_on(cpu)
    monkeypatch.setattr(triton_mask, "failure_on", lambda device: "no C compiler")
    with pytest.warns(RuntimeWarning, match="on cuda:0 by torch, in several passes, because .* no C compiler"):
        assert apply_mask._fused.__wrapped__(torch.device("cuda:0")) is None
    monkeypatch.setattr(triton_mask, "failure_on", lambda device: None)
    assert apply_mask._fused.__wrapped__(torch.device("cuda:0")) is triton_mask.forbid_rows
    assert apply_mask._fused(cpu) is None


@pytest.mark.filterwarnings("error")
def test_without_triton_torch_applies_masks(monkeypatch):
    monkeypatch.setattr(apply_mask, "find_spec", lambda name: None)
    assert apply_mask._fused.__wrapped__(torch.device("cuda:0")) is None


@pytest.mark.gpu
@needs_triton
@pytest.mark.parametrize("case", CASES, ids=lambda case: "-".join(map(str, case)))
def test_the_kernel_on_a_gpu(case):
    check(*case, device="cuda")


@pytest.mark.gpu
@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16, torch.float64])
def test_the_torch_path_on_a_gpu(dtype):
    torch.manual_seed(0)
    for rows in (1, 33, 5003):
        logits, masks = laid_out("contiguous", 6, rows).to(dtype), masks_of(9, rows)
        which = torch.randint(9, (6,), dtype=torch.int32)
        found = apply_mask.forbid_by_torch(logits.cuda(), masks.cuda(), which.cuda())
        same_bits(found.cpu(), apply_mask.forbid_by_torch(logits, masks, which))


@pytest.mark.gpu
@needs_triton
@pytest.mark.filterwarnings("error")
def test_a_gpu_uses_the_kernel():
    from guidance_kit.guides import triton_mask

    assert apply_mask._fused.__wrapped__(torch.device("cuda:0")) is triton_mask.forbid_rows


@pytest.mark.gpu
@needs_triton
def test_more_than_two_to_the_31_logits():
    rows = 2**17 + 16
    logits = torch.zeros(2**14, rows, dtype=torch.float16, device="cuda")
    masks = torch.full((1, rows // 32 + 1), -1, dtype=torch.int32, device="cuda")
    masks[0, -1] = 0
    which = torch.zeros(2**14, dtype=torch.int32, device="cuda")
    masked = apply_mask.forbid_rows(logits, masks, which)
    assert logits.numel() > 2**31
    assert not masked[:, : rows - 16].any()
    assert bool((masked[:, rows - 16 :] == -torch.inf).all())
