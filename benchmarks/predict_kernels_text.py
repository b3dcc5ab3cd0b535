"""The tables of benchmarks.predict_kernels, as docs/statistics.md shows them."""

from __future__ import annotations

from pathlib import Path
from statistics import median
from typing import Any

BEGIN = "<!-- python -m benchmarks.predict_kernels --docs docs/statistics.md -->"
END = "<!-- end -->"


def as_markdown(document: dict[str, Any]) -> str:
    """Who bounds each kernel; what was predicted for a stage more or less, and what was measured."""
    lines = [
        f"Measured on: {document['machine']}",
        "",
        "| kernel | bound | producer waits for stages | consumers wait for tiles | for anything else |",
        "|---|---|---:|---:|---:|",
    ]
    for one in document["kernels"]:
        shares = (one["producer_waits"], one["starved"], one["other_waits"])
        lines.append(f"| {one['kernel']} | {one['bound']} | {' | '.join(f'{share:.0%}' for share in shares)} |")
    full_size = any(any(row["full_size_ms"]) for row in document["rows"])
    head = ["ring", "stages", "recorded", "predicted", "measured", "error"]
    head += ["full size, nothing recorded"] if full_size else []
    lines += ["", f"| {' | '.join(head)} |", f"|---|---|{'---:|' * (len(head) - 2)}"]
    lines += [f"| {' | '.join(_cells(row, full_size))} |" for row in document["rows"]]
    errors = [abs(row["error"]) for row in document["rows"] if row["error"] is not None]
    if errors:
        lines += ["", f"Median error {median(errors) * 100:.1f} %, largest {max(errors) * 100:.1f} %."]
    lines += ["", *document["failed"]] if document["failed"] else []
    return "\n".join(lines)


def put_into(page: Path, document: dict[str, Any]) -> None:
    """Replaces what stands between the two marks of the page. SystemExit if it has none."""
    text = page.read_text(encoding="utf-8")
    if BEGIN not in text or END not in text.partition(BEGIN)[2]:
        raise SystemExit(f"{page} has no place for the tables: it should have the lines {BEGIN} and {END}")
    before, _, rest = text.partition(BEGIN)
    after = rest.partition(END)[2]
    page.write_text(f"{before}{BEGIN}\n{as_markdown(document)}\n{END}{after}", encoding="utf-8")


def _cells(row: dict[str, Any], full_size: bool) -> list[str]:
    cells = [
        f"{row['kernel']} `{row['ring']}`",
        f"{row['from']} to {row['to']}",
        _ns(row["recorded_ns"]),
        _ns(row["predicted_ns"]),
        ", ".join(map(_ns, row["measured_ns"])) or "-",
        "-" if row["error"] is None else f"{row['error'] * 100 + 0.0:+.1f} %",
    ]
    if full_size:
        before, after = row["full_size_ms"]
        cells.append(
            "-" if not before or not after else f"{before:.3f} to {after:.3f} ms: {(after / before - 1) * 100:+.1f} %"
        )
    return cells


def _ns(value: float | None) -> str:
    return "-" if value is None else f"{value:.0f} ns"
