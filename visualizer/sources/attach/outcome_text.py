"""What came of a session, in lines for a person: on the command line and in the window."""

from __future__ import annotations

from visualizer.language import tr, trn
from visualizer.sources.attach.session import Launches, Outcome

_TITLE_LENGTH = 160
"""Of a kernel's name: templates of CUTLASS have thousands of letters."""


def outcome_lines(outcome: Outcome) -> list[str]:
    """A line for each kernel that uses mbarriers, and one for all others."""
    used = used_kernels(outcome.kernels)
    lines = [_line(entry) for entry in used] or [tr("no kernel that uses mbarriers was launched")]
    unseen = sum(entry.kernel.lacks_ptx and not entry.kernel.refusal for entry in outcome.kernels)
    if unseen:
        lines.append(
            trn("{n} kernel without PTX was not looked into", "{n} kernels without PTX were not looked into", unseen)
        )
    return lines


def used_kernels(kernels: tuple[Launches, ...]) -> list[Launches]:
    """Those with mbarriers that were launched."""
    return [entry for entry in kernels if entry.kernel.uses_mbarriers and entry.launches + entry.captured]


def _line(entry: Launches) -> str:
    """A kernel, how often it was launched, and its name in full if that says more."""
    kernel = entry.kernel
    line = trn("{kernel}: {n} launch", "{kernel}: {n} launches", entry.launches, kernel=kernel.short)
    if entry.captured:
        line += ", " + tr("{n} more into CUDA graphs, which are not recorded", n=entry.captured)
    if kernel.title == kernel.short:
        return line
    return f"{line}  {kernel.title[:_TITLE_LENGTH]}{'...' if len(kernel.title) > _TITLE_LENGTH else ''}"
