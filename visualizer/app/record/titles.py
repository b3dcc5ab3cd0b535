"""What the command line calls by an option, the experiment panel calls by a title: sentences about either are the same.

Titles are messages, translated where they are shown.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from visualizer.language import mark, tr
from visualizer.programs.registry import all_parameters
from visualizer.sources.option import Option
from visualizer.sources.registry import all_options

_TITLES = {
    **{parameter.option: parameter.title for parameter in all_parameters()},
    "--tile": mark("Tile"),
    "--program": mark("Program"),
    "--fault": mark("Fault"),
    "--source": mark("Source"),
}


def with_titles(message: str, options: Iterable[Option] | None = None) -> str:
    """The command line's "--consumer-warps" as the panel's "Consumer warps". `options`: None, those of all sources."""
    told = all_options() if options is None else options
    titles = _TITLES | {option.flag: option.title for option in told if option.title}
    for option in sorted(titles, key=len, reverse=True):
        message = re.sub(re.escape(option) + r"(?![\w-])", lambda _, title=titles[option]: tr(title), message)
    return message
