"""Sites as a recording keeps them: file, line and inline stack, and the text of the files that can be read here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from visualizer.recording.regular_file import read_regular
from visualizer.recording.tables import Site
from visualizer.sources.attach.ptx.sites import Site as PtxSite

_MOST_TEXT = 4 << 20
"""Characters of source that a recording takes along."""
_MOST_BYTES = 4 * _MOST_TEXT
"""Of a file: so many characters have no more."""


def sites_of(sites: Sequence[PtxSite], plain: str, name: str) -> tuple[tuple[Site, ...], Mapping[str, str]]:
    """The table, and the texts of its files. Sites without lines are shown in `plain`, the PTX of kernel `name`."""
    ptx = f"{name}.ptx"
    table = tuple(
        Site(site.stack[0].file, site.stack[0].line, site.title, site.stack)
        if site.stack
        else Site(ptx, site.line, site.title)
        for site in sites
    )
    texts: dict[str, str] = {}
    if any(site.file == ptx for site in table):
        texts[ptx] = plain
    room = _MOST_TEXT
    for file in _by_nearness(sites):
        text = _text(file)
        if text is not None and len(text) <= room:
            texts[file] = text
            room -= len(text)
    return table, texts


def _by_nearness(sites: Sequence[PtxSite]) -> list[str]:
    """Files of all stacks, those of the outermost frames first: they are the program's own, the others libraries'."""
    depth: dict[str, int] = {}
    for site in sites:
        for place, frame in enumerate(reversed(site.stack)):
            depth[frame.file] = min(depth.get(frame.file, place), place)
    return sorted(filter(None, depth), key=lambda file: (depth[file], file))


def _text(file: str) -> str | None:
    """A file's text; None if it is not on this computer any more, or is more than a source."""
    try:
        content = read_regular(file, _MOST_BYTES + 1)
    except (OSError, ValueError):
        return None
    return content.decode(errors="replace") if len(content) <= _MOST_BYTES else None
