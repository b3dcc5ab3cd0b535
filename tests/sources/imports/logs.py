"""Small files of every format that can be imported: one tile through one stage."""

from __future__ import annotations

import json
from typing import Any

NEUTRAL = [
    {"agent": "producer", "time": 0, "kind": "init", "barrier": "full[0]", "amount": 1},
    {"agent": "producer", "time": 1, "kind": "init", "barrier": "empty[0]", "amount": 1},
    {"agent": "producer", "time": 10, "kind": "arrive_expect_tx", "barrier": "full[0]", "amount": 4096},
    {"agent": "producer", "time": 11.5, "kind": "copy_issue", "barrier": "full[0]", "file": "gemm.cu", "line": 70},
    {"agent": "consumer.w1", "time": 12, "kind": "wait_begin", "barrier": "full[0]", "parity": 0},
    {"agent": "consumer.w1", "time": 500, "kind": "wait_end", "barrier": "full[0]", "parity": 0, "blocked": 1},
    {"agent": "consumer.w1", "time": 600, "kind": "arrive", "barrier": "empty[0]"},
]
_COLUMNS = ("agent", "time", "kind", "barrier", "amount", "parity", "file", "line", "blocked")
JSON_LINES = "".join(json.dumps(row) + "\n" for row in NEUTRAL)
CSV = "\n".join([",".join(_COLUMNS), *(",".join(str(row.get(name, "")) for name in _COLUMNS) for row in NEUTRAL)])

_T = 1_700_000_000_000_000_000  # ns


def line(op: str, time: int, thread: int, rest: str = "", number: int = 411) -> str:
    """A line as CUTLASS prints it."""
    return f"synclog at 1: {op} line={number} time={_T + time} thread={thread},0,0 block=0,0,0 {rest}"


SYNCLOG_LINES = [
    "starting synclog start",
    line("cluster_barrier_init", 0, 0, "smem_addr=1024 arrive_count=1", 361),
    line("cluster_barrier_init", 0, 0, "smem_addr=1032 arrive_count=1", 361),
    line("fence_barrier_init", 32, 0),
    line("syncthreads", 64, 0),
    line("syncthreads", 64, 128),
    line("cluster_barrier_wait", 96, 0, "smem_addr=1032 phase=1"),
    line("cluster_transaction_barrier_arrive_and_expect_tx", 128, 0, "smem_addr=1024 transaction_bytes=4096"),
    line("tma_load", 128, 0, "gmem_int_desc=140000 smem_int_mbar=1024 smem_int_ptr=2048", 58),
    line("cluster_barrier_try_wait", 128, 128, "smem_addr=1024 phase=0"),
    "hello from the program",
    line("cluster_barrier_wait", 160, 128, "smem_addr=1024 phase=0"),
    line("cluster_barrier_wait", 200, 0, "smem_addr=1032 phase=0"),
    line("wgmma_smem_smem", 800, 128, "desc_a_smem_int_ptr=1024 desc_b_smem_int_ptr=0"),
    line("cluster_barrier_arrive_cluster", 832, 128, "smem_addr=1032 cta_id=1 pred=0"),
    line("cluster_barrier_arrive_cluster", 864, 128, "smem_addr=1032 cta_id=0 pred=1"),
    "synclog end",
]
SYNCLOG = "\n".join(SYNCLOG_LINES) + "\n"


def range_(name: str, ts: float, dur: float, thread: str, cta: int = 0, **args: Any) -> dict[str, Any]:
    """A complete event as Proton writes it."""
    return {
        "name": name,
        "ph": "X",
        "ts": ts,
        "dur": dur,
        "pid": f"gemm Core0 CTA{cta}",
        "tid": thread,
        "args": {"call_stack": [], **args},
    }


RANGES = [
    range_("load", 0.5, 2, "warp 0 (line 0)"),
    range_("wait empty", 0.6, 1, "warp 0 (line 1)"),
    range_("mma", 3, 1, "warp 4 (line 0)"),
    range_("wait", 4, 1, "warp 4 (line 0)", cta=1, barrier="full[0]", parity=0),
    {**range_("arrived", 4.5, 0, "warp 0", cta=1, kind="arrive", barrier="full[0]"), "ph": "i"},
    {**range_("seen", 5, 0, "warp 0", cta=1), "ph": "i"},
]
CHROME = json.dumps({"displayTimeUnit": "ns", "traceEvents": RANGES})
FILES = {"a.csv": CSV, "a.jsonl": JSON_LINES, "synclog.txt": SYNCLOG, "proton.json": CHROME}
