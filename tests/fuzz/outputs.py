"""What exports of damaged recordings must be: files of their kind, in which no name becomes anything else."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path

import numpy as np

_VARIABLE = re.compile(r"\$var (string|integer|wire) \d+ \S+ \S+ \$end")
_NUMBER = re.compile(r"-?\d+(\.\d+)?(e[+-]?\d+)?")


def check_output(path: Path) -> None:
    """AssertionError or ValueError if the file is none of its kind."""
    if path.suffix == ".npz":
        with np.load(path, allow_pickle=False) as arrays:
            for name in arrays.files:
                assert arrays[name].dtype != object
    elif path.suffix != ".pftrace":
        _CHECKS[path.suffix](path.read_bytes().decode())


def _csv(text: str) -> None:
    head, *rows = csv.reader(io.StringIO(text, newline=""), strict=True)
    for row in rows:
        assert len(row) == len(head), f"a row of {len(row)} cells under {len(head)} columns"
        for cell in row:
            assert not cell.startswith(("=", "+", "-", "@", "\t", "\r")) or _NUMBER.fullmatch(cell), (
                f"formula: {cell!r}"
            )


def _json(text: str) -> None:
    def refuse(constant: str) -> None:
        raise ValueError(f"{constant} is no JSON")

    json.loads(text, parse_constant=refuse)


def _vcd(text: str) -> None:
    head, end, values = text.partition("$enddefinitions $end\n")
    assert end
    for line in head.splitlines():
        assert not line.startswith("$var") or _VARIABLE.fullmatch(line), f"a signal that is none: {line!r}"
    for line in values.splitlines():
        assert line[:1] in "#01bxzs$", f"a value that is none: {line!r}"
        assert line.isprintable(), f"a value with control characters: {line!r}"


def _html(text: str) -> None:
    assert text.count("<script") == text.count("</script>"), "a name ends a script"
    assert "<img" not in text.replace("\\u003cimg", ""), "a name is shown as what it is no text of"


_CHECKS = {".csv": _csv, ".json": _json, ".vcd": _vcd, ".html": _html}
