"""What inference says of a random kernel, held against the truth."""

from __future__ import annotations

from random_kernels import Kernel, Stages

from visualizer.structure.infer import infer


def verdict(kernel: Kernel) -> tuple[int, int, list[str]]:
    """How many of its rings and turns are found, how many are not, and what was said wrongly."""
    structure = infer(kernel.trace)
    rings = {(ring.cta, ring.full, ring.empty) for ring in structure.rings}
    wrong = [f"ring {ring}" for ring in rings - kernel.rings]
    wrong += [f"turns {turn}" for turn in set(structure.turns) - kernel.turns]
    for name, said, true in zip(kernel.trace.agents, structure.roles, kernel.roles, strict=True):
        if said not in ("other", true):
            wrong.append(f"{name.name} is {true}, not {said}")
    right = len(rings & kernel.rings) + len(set(structure.turns) & kernel.turns)
    return right, len(kernel.rings) + len(kernel.turns) - right, wrong


def mistakes(kernel: Kernel) -> list[str]:
    """What is said wrongly of it. Where neither instructions nor sizes tell rings apart that are used in step, a ring
    may be taken for several or several for one, for one would be used in just this order; but each stage of what is
    said must be a stage.
    """
    _, _, wrong = verdict(kernel)
    if kernel.decidable:
        return wrong
    stages = set().union(*map(_stages, kernel.rings))
    structure = infer(kernel.trace)
    rings = {(ring.cta, ring.full, ring.empty) for ring in structure.rings}
    return [one for one in wrong if one not in {f"ring {ring}" for ring in rings if _stages(ring) <= stages}]


def _stages(ring: tuple[int, Stages, Stages]) -> set[tuple[tuple[int, ...], tuple[int, ...]]]:
    return set(zip(*ring[1:], strict=True))
