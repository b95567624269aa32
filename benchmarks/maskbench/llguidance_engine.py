"""MaskBench's adapter of llguidance, with a test of a mask's bit that NumPy 2 takes: `1 << 31` is no int32."""

from .llg_engine import LlgEngine


class LLGuidanceEngine(LlgEngine):
    def commit_token(self, t: int) -> bool:
        ok = bool(self.mask_data[0, t // 32] >> (t % 32) & 1)
        if ok:
            self.interp.consume_token(t)
        elif self.interp.is_error():
            raise ValueError(self.interp.get_error())
        return ok
