"""A run of two CTAs that hang for the same reason, and what is said of it."""

from __future__ import annotations

from visualizer.diagnosis.diagnose import diagnose
from visualizer.diagnosis.report import Report
from visualizer.programs.builder import Builder
from visualizer.replay.history import History
from visualizer.sources.simulator.simulate import simulate


def two_ctas_hang() -> tuple[History, Report]:
    b = Builder("two", ctas=2)
    for cta in range(2):
        full = b.barriers("full", 1, count=1, cta=cta)
        empty = b.barriers("empty", 1, count=2, cta=cta)
        p = b.agent("P", role="producer", stages=1, phase=1, cta=cta)
        c = b.agent("C", role="consumer", stages=1, cta=cta)
        p.init_all()
        p.sync()
        c.sync()
        for _ in p.tiles(3):
            p.wait(empty[0], p.phase)
            p.arrive_expect_tx(full[0], 4096)
            p.copy(full[0], 0, 4096)
            p.advance()
        for _ in c.tiles(3):
            c.wait(full[0], c.phase)
            c.read(0, 4096)
            c.arrive(empty[0])
            c.advance()
    program = b.build()
    history = History(simulate(program))
    return history, diagnose(history, program)
