"""The recorded run once more with other stages: what a source is asked for it, where it can run, and what cannot be."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from visualizer.diagnosis.predict.errors import PredictError
from visualizer.language import tr
from visualizer.programs.errors import ProgramError
from visualizer.programs.lesson import NAME as LESSON
from visualizer.programs.registry import PROGRAMS, check_program, own_parameters, parameters_of
from visualizer.recording.tables import Meta
from visualizer.sources.errors import SourceError
from visualizer.sources.pipelines.kernels import KERNELS
from visualizer.sources.pipelines.pipeline_kernel import PipelineKernel
from visualizer.sources.pipelines.sizes import request_for
from visualizer.sources.source import Request

VerifySource = Literal["gpu", "simulator"]

LEAST_TILES = 64
"""A shorter recording of the lesson is verified with so many tiles: a ring of eight stages must get into its stride."""


@dataclass(frozen=True, slots=True)
class Rerun:
    """The run with any number of stages that fits."""

    with_stages: Callable[[int], Request]
    tiles: int | None  # None: as many as recorded
    sources: tuple[VerifySource, ...]  # where it can run; the first that is there, unless another is asked for


def rerun_of(meta: Meta, ring: str, consumer_delay_ns: int) -> Rerun:
    """PredictError says why there is nothing that could be run. `ring`: which of several, "": there is one."""
    if meta.program not in PROGRAMS or meta.config.get("fault"):
        raise PredictError(
            tr(
                "only recordings of our programs without a fault can be verified; this one is of {program}",
                program=meta.program,
            )
        )
    own = {parameter.name for parameter in parameters_of(meta.program)}
    kernel = _kernel_of(meta)
    if consumer_delay_ns and (kernel or "consumer_delay" not in own):
        raise PredictError(tr("{program} has no consumer delay to be run with", program=meta.program))
    if kernel is not None:
        return _of_kernel(kernel, meta, ring)
    name = _stages_of(meta.program, ring)
    if name is None or meta.source.get("kind") == "attach":
        raise PredictError(
            tr("{program} cannot be run with other stages: how many there are is fixed in it", program=meta.program)
        )
    try:
        asked = check_program(meta.program, own_parameters(meta.program, meta.config))
    except ProgramError as problem:
        raise PredictError(tr("the recording's parameters cannot be run again: {problem}", problem=problem)) from None
    if meta.program != LESSON:  # what was played was the recorded run, and its kernel's sizes are of another kind
        return Rerun(lambda stages: Request(meta.program, {**asked, name: stages}), None, ("simulator",))
    tiles = max(asked["tiles"], LEAST_TILES)
    asked |= {"consumer_delay": consumer_delay_ns, "tiles": tiles}
    return Rerun(lambda stages: Request(LESSON, {**asked, name: stages}), tiles, ("gpu", "simulator"))


def _stages_of(program: str, ring: str) -> str | None:
    """The program's parameter that counts the stages of this ring."""
    return next((one.name for one in parameters_of(program) if one.ring == ring), None)


def could_have(meta: Meta, ring: str, stages: int) -> bool:
    """Whether the recorded run could have so many stages of this ring; one that is not ours can, for all we know."""
    kernel = _kernel_of(meta)
    if kernel is not None:
        try:
            kernel.check({**_sizes(kernel, meta), kernel.stages_of(ring): stages})
        except SourceError:
            return False
        return True
    name = _stages_of(meta.program, ring)
    if name not in meta.config:  # that of a stranger's kernel of the same name tells no parameters
        return True
    try:
        check_program(meta.program, {**own_parameters(meta.program, meta.config), name: stages})
    except ProgramError:
        return False
    return True


def _of_kernel(kernel: PipelineKernel, meta: Meta, ring: str) -> Rerun:
    """Of the same sizes: what was played was the recorded run, and no longer one."""
    sizes = _sizes(kernel, meta)
    try:
        name = kernel.stages_of(ring)
        kernel.check(sizes)
    except SourceError as problem:
        raise PredictError(tr("the recording's parameters cannot be run again: {problem}", problem=problem)) from None
    return Rerun(lambda stages: request_for(kernel, {**sizes, name: stages}), kernel.tiles(sizes), ("gpu",))


def _kernel_of(meta: Meta) -> PipelineKernel | None:
    """The kernel of ours that was recorded on a GPU with the sizes that the recording tells. A stranger's kernel may
    have the same name: its recording tells none."""
    told = [value for name, value in meta.config.items() if name != "fault"]
    if meta.source.get("kind") != "attach" or not told or any(type(value) is not int for value in told):
        return None
    return next((kernel for kernel in KERNELS if kernel.name == meta.program), None)


def _sizes(kernel: PipelineKernel, meta: Meta) -> dict[str, int]:
    told = {name.replace("_", "-"): value for name, value in meta.config.items() if name != "fault"}
    return kernel.complete(told)
