"""Events as a CSV file, and as columns in one .npz."""

from __future__ import annotations

import csv
import io
import json
import zipfile
from typing import IO, Any

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from visualizer.export.event_columns import Column, event_columns
from visualizer.export.selection import Selection
from visualizer.export.writing import Writing, chunks


def write_csv(selection: Selection, writing: Writing) -> None:
    """One line per event under a heading (RFC 4180, UTF-8); an empty cell means none."""
    columns = event_columns(selection)
    rows = len(columns[0].values)
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\r\n")
    writer.writerow([column.name for column in columns])
    for chunk in chunks(rows):
        writer.writerows(zip(*(_cells(column, chunk) for column in columns), strict=True))
        writing.text(text.getvalue())
        text.seek(0)
        text.truncate()
        writing.reached(chunk.stop / rows, f"writing event {chunk.stop} of {rows}")
    writing.text(text.getvalue())


def write_npz(selection: Selection, writing: Writing) -> None:
    """One array per column, shape (rows,), for each column of names also `COLUMN.names`, and `meta`: JSON as bytes.

    Readable with numpy.load without pickle. None is -1 among names, and where `COLUMN.none` says so elsewhere.
    """
    meta = selection.history.trace.meta
    about = {"program": meta.program, "config": meta.config, "source": meta.source, "ended": meta.ending.kind}
    arrays: dict[str, Any] = {"meta": np.frombuffer(json.dumps(about).encode(), np.uint8)}
    for column in event_columns(selection):
        values = column.values
        arrays[column.name] = values.astype(np.int32) if column.names is not None else np.ascontiguousarray(values)
        if column.names is not None:
            arrays[f"{column.name}.names"] = np.array(column.names, np.str_)
        elif column.missing is not None:
            arrays[f"{column.name}.none"] = column.missing
    writing.reached(0.5, "writing columns")
    _save_arrays(writing.file, arrays)
    writing.reached(1.0, "writing columns")


def _save_arrays(file: IO[bytes], arrays: dict[str, NDArray[Any]]) -> None:
    """What numpy.savez does, which cannot name an array "file"."""
    with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive:
        for name, array in arrays.items():
            with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
                npy.write_array(member, array, allow_pickle=False)


def _cells(column: Column, chunk: slice) -> list[Any]:
    values: NDArray[Any] = column.values[chunk]
    if column.names is not None:
        values = np.array([*column.names, ""], object)[values.astype(np.int64)]
    none = column.none(chunk)
    if column.names is None and none.any():
        values = values.astype(object)
        values[none] = ""
    cells: list[Any] = values.tolist()
    return cells
