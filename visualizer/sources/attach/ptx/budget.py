"""A twin that runs where its original did: with as many CTAs on an SM, and the registers that setmaxnreg counts on.

More registers than that and a launch fails, or a cluster or a persistent grid waits for CTAs that find no room. Where
they are short, ptxas is told to do with fewer and keeps some values in memory; if much of that is needed, the sites
that say least are left out, which is told.
"""

from __future__ import annotations

from dataclasses import dataclass

from visualizer.language import tr
from visualizer.sources.attach.launch import Shape
from visualizer.sources.attach.log_format import Keep
from visualizer.sources.attach.options import Level
from visualizer.sources.attach.ptx.forms import FORMS, Form
from visualizer.sources.attach.ptx.twin import Instrumented, instrument
from visualizer.sources.attach.ptxas import Assembled, assemble
from visualizer.sources.errors import SourceError

SM_REGISTERS = 65536
SM_WARPS, SM_CTAS = 64, 32
"""That an SM of compute capability 9.0 runs at a time [CUDA programming guide]."""
SM_SHARED = 228 * 1024
CTA_SHARED = 1024
"""Bytes of shared memory that the system takes of each CTA."""
_REGISTERS_STEP = 8
MOST_SPILLED = 256
"""Bytes of a thread's registers that go to memory, beside what the original keeps there, before sites are left out."""
_LEFT_OUT_FIRST = tuple(form for form in FORMS if form.level == "all")


@dataclass(frozen=True)
class Fitted:
    """A twin that is ready to be loaded."""

    instrumented: Instrumented
    cubin: bytes
    registers: int  # of a thread
    spilled: int  # bytes of a thread
    notes: tuple[str, ...]  # a sentence each


def fit(text: str, entry: str, level: Level, keep: Keep, shape: Shape) -> Fitted:
    """Instrument and assemble an entry for launches of this shape. SourceError if it cannot run like the original."""
    attempts: list[tuple[Form, ...]] = [(), _LEFT_OUT_FIRST] if level == "all" else [()]
    best: tuple[Instrumented, Assembled] | None = None
    for left_out in attempts:
        made = instrument(text, entry, level, keep, left_out)
        assembled = _assembled(made, shape)
        if best is None or assembled.spilled < best[1].spilled:
            best = made, assembled
        if assembled.spilled <= shape.local + MOST_SPILLED:
            break
    assert best is not None
    made, assembled = best
    _check_pools(made, assembled, shape)
    return Fitted(made, assembled.cubin, assembled.registers, assembled.spilled, tuple(_notes(made, assembled, shape)))


def most_registers(shape: Shape) -> int:
    """Registers of a thread with which as many CTAs fit on an SM as of the original."""
    warps = shape.warps
    own = -(-max(shape.registers, 1) // _REGISTERS_STEP) * _REGISTERS_STEP
    by_registers = SM_REGISTERS // (own * warps * 32) if shape.registers else 1
    by_shared = SM_SHARED // (shape.static_shared + shape.dynamic_shared + CTA_SHARED)
    ctas = max(1, min(by_registers, by_shared, SM_WARPS // warps, SM_CTAS))
    return min(255, SM_REGISTERS // (ctas * warps * 32) // _REGISTERS_STEP * _REGISTERS_STEP)


def _assembled(made: Instrumented, shape: Shape) -> Assembled:
    assembled = assemble(made.ptx, made.target)
    limit = most_registers(shape)
    if assembled.registers > limit and not made.pools:
        assembled = assemble(made.ptx, made.target, limit)
        if assembled.registers > limit:
            raise SourceError(
                tr(
                    "recorded it needs {registers} registers a thread, and with more than {limit} fewer CTAs fit on an"
                    " SM than before: record at a lower --level",
                    registers=assembled.registers,
                    limit=limit,
                )
            )
    return assembled


def _check_pools(made: Instrumented, assembled: Assembled, shape: Shape) -> None:
    """What setmaxnreg hands out is what a launch was given: with less of it, a warpgroup would wait forever."""
    if made.pools and shape.registers and assembled.registers != shape.registers:
        raise SourceError(
            tr(
                "its setmaxnreg counts on {expected} registers a thread, and recorded it has {registers}: record at a"
                " lower --level",
                expected=shape.registers,
                registers=assembled.registers,
            )
        )


def _notes(made: Instrumented, assembled: Assembled, shape: Shape) -> list[str]:
    notes = list(made.cautions)
    if made.dropped:
        ops = sorted({one.opcode.split(".shared")[0] for one in made.dropped})
        notes.append(tr("{count} instructions are not recorded: {ops}", count=len(made.dropped), ops=", ".join(ops)))
    if assembled.spilled > shape.local:
        notes.append(tr("{bytes} bytes of each thread's registers lie in memory", bytes=assembled.spilled))
    return notes
