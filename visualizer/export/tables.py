"""Events as a CSV file, and as columns in one .npz."""

from __future__ import annotations

import json
import zipfile
from typing import IO, Any

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from visualizer.export.selection import Selection
from visualizer.export.table_columns import Column, table_columns
from visualizer.export.writing import Writing, chunks
from visualizer.language import tr

_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def write_csv(selection: Selection, writing: Writing) -> None:
    """One line per event under a heading (RFC 4180, UTF-8); an empty cell means none."""
    columns = table_columns(selection)
    rows = len(columns[0].values)
    # One template for all cells of a row is faster than csv.writer, and only names can need quotes.
    template = ",".join(["%s"] * len(columns)) + "\r\n"
    writing.text(template % tuple(column.name for column in columns))
    for chunk in chunks(rows):
        cells = (_cells(column, chunk) for column in columns)
        writing.text("".join(map(template.__mod__, zip(*cells, strict=True))))
        writing.reached(chunk.stop / rows, tr("writing event {done} of {all}", done=chunk.stop, all=rows))


def write_npz(selection: Selection, writing: Writing) -> None:
    """One array per column, shape (rows,), for each column of names also `COLUMN.names`, and `meta`: JSON as bytes.

    Readable with numpy.load without pickle. None is -1 among names, and where `COLUMN.none` says so elsewhere.
    """
    meta = selection.history.trace.meta
    about = {"program": meta.program, "config": meta.config, "source": meta.source, "ended": meta.ending.kind}
    arrays: dict[str, Any] = {"meta": np.frombuffer(json.dumps(about).encode(), np.uint8)}
    for column in table_columns(selection):
        values = column.values
        arrays[column.name] = values.astype(np.int32) if column.names is not None else np.ascontiguousarray(values)
        if column.names is not None:
            arrays[f"{column.name}.names"] = np.array(column.names, np.str_)
        elif column.missing is not None:
            arrays[f"{column.name}.none"] = column.missing
    writing.reached(0.5, tr("writing columns"))
    _save_arrays(writing.file, arrays)
    writing.reached(1.0, tr("writing columns"))


def _save_arrays(file: IO[bytes], arrays: dict[str, NDArray[Any]]) -> None:
    """What numpy.savez does, which cannot name an array "file"."""
    with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive:
        for name, array in arrays.items():
            with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
                npy.write_array(member, array, allow_pickle=False)


def _quoted(name: str) -> str:
    """The name as a cell: in quotes if it has a comma, a quote or a line's end. What a spreadsheet would take for a
    formula has an apostrophe in front, by which spreadsheets know a text."""
    name = f"'{name}" if name.startswith(_FORMULA) else name
    return '"' + name.replace('"', '""') + '"' if any(mark in name for mark in ',"\r\n') else name


def _cells(column: Column, chunk: slice) -> list[Any]:
    values: NDArray[Any] = column.values[chunk]
    if column.names is not None:
        values = np.array([*map(_quoted, column.names), ""], object)[values.astype(np.int64)]
    none = column.none(chunk)
    if column.names is None and none.any():
        values = values.astype(object)
        values[none] = ""
    cells: list[Any] = values.tolist()
    return cells
