"""What the command line calls by an option, the experiment panel calls by a title: sentences about either are the same.

Titles are messages, translated where they are shown.
"""

from __future__ import annotations

from visualizer.language import mark, tr
from visualizer.programs.parameters import PARAMETERS

RECORDING = {
    "--level": mark("Level"),
    "--window": mark("Window"),
    "--keep-last": mark("Keep last tiles"),
    "--every-cta": mark("Every k-th CTA"),
    "--roles": mark("Roles"),
    "--ab": mark("A/B pairs"),
    "--probe": mark("Probe"),
}
"""How a run is recorded, by option."""
_TITLES = {
    **{parameter.option: parameter.title for parameter in PARAMETERS},
    **RECORDING,
    "--tile": mark("Tile"),
    "--program": mark("Program"),
    "--fault": mark("Fault"),
    "--source": mark("Source"),
}


def with_titles(message: str) -> str:
    """The command line's "--consumer-warps" as the panel's "Consumer warps"."""
    for option in sorted(_TITLES, key=len, reverse=True):
        message = message.replace(option, tr(_TITLES[option]))
    return message
