"""Tables as dataclasses of columns: arrays with a row for each thing, all of one length."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

T = TypeVar("T")


def rows_of(table: T, chosen: NDArray[np.bool_] | slice) -> T:
    """The table with the `chosen` rows alone; every field of it is a column."""
    columns: Any = table
    rows: T = replace(columns, **{field.name: getattr(table, field.name)[chosen] for field in fields(columns)})
    return rows
