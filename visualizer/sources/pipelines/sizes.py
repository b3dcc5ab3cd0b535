"""The sizes of the kernels as options of a source: what they may be, the table of the kernels says.

Tiles, CTAs and stages are parameters that programs have as well (--tiles, --ctas, --stages, --k-stages, --v-stages):
they are not among these.
"""

from __future__ import annotations

from collections.abc import Mapping

from visualizer.language import mark, tr
from visualizer.sources.errors import SourceError
from visualizer.sources.option import Field, Group, Option, Whole
from visualizer.sources.pipelines.kernels import KERNELS
from visualizer.sources.pipelines.pipeline_kernel import PipelineKernel
from visualizer.sources.source import Request

_GROUP = Group(mark("sizes of kernels"), mark("of those in kernels/ that --source gpu runs beside the lesson"))
_PROGRAMS_SIZES = ("tiles", "ctas", "stages", "k-stages", "v-stages")


def _option_name(size: str) -> str:
    return f"size_{size.replace('-', '_')}"


def _size(name: str, title: str, help: str, told: str) -> Option:
    takers = [kernel for kernel in KERNELS if name in kernel.parameters]
    parameters = [kernel.parameters[name] for kernel in takers]
    return Option(
        _option_name(name),
        f"--{name}",
        Whole(1, max(one.most for one in parameters), min(one.multiple for one in parameters)),
        help,
        _GROUP,
        metavar="N",
        default=0,
        title=title,
        fields=(Field(told, usual=mark("small")),),
        programs=tuple(kernel.name for kernel in takers),
    )


SIZE_OPTIONS = (
    _size(
        "m",
        mark("Rows M"),
        mark("rows of A and of the result, a multiple of 128"),
        mark("rows of A and of the result, a multiple of 128 (--m)"),
    ),
    _size(
        "n",
        mark("Columns N"),
        mark("columns of the result, a multiple of 256 for gemm, of 128 for pingpong"),
        mark("columns of the result, a multiple of 256 for gemm, of 128 for pingpong (--n)"),
    ),
    _size(
        "k",
        mark("Depth K"),
        mark("columns of A and B, a multiple of 64: a tile of the ring has 64"),
        mark("columns of A and B, a multiple of 64: a tile of the ring has 64 (--k)"),
    ),
    _size("heads", mark("Heads"), mark("heads of attention"), mark("heads of attention (--heads)")),
    _size(
        "length",
        mark("Length"),
        mark("rows of Q, K and V of a head, a multiple of 128"),
        mark("rows of Q, K and V of a head, a multiple of 128 (--length)"),
    ),
    _size(
        "cluster",
        mark("Cluster"),
        mark("CTAs of a cluster that load for each other: 1, 2 or 4"),
        mark("CTAs of a cluster that load for each other: 1, 2 or 4 (--cluster)"),
    ),
)


def request_for(kernel: PipelineKernel, sizes: Mapping[str, int]) -> Request:
    """What `sizes_of` takes these sizes from."""
    parameters = {name.replace("-", "_"): value for name, value in sizes.items() if name in _PROGRAMS_SIZES}
    options = {_option_name(name): value for name, value in sizes.items() if _option_name(name) in _NAMES}
    return Request(kernel.name, parameters, options=options)


def sizes_of(kernel: PipelineKernel, request: Request) -> dict[str, int]:
    """What is asked of a kernel, complete: what is left out is small. SourceError names the option that is wrong."""
    asked: dict[str, int] = {}
    options: Mapping[str, int] = request.options
    for option in SIZE_OPTIONS:
        if value := options.get(option.name, 0):
            asked[option.flag[2:]] = value
    for parameter, value in request.parameters.items():
        name = parameter.replace("_", "-")
        if name not in _PROGRAMS_SIZES or name not in kernel.parameters:
            taken = [f"--{one}" for one in kernel.parameters if one in _PROGRAMS_SIZES or _option_name(one) in _NAMES]
            raise SourceError(
                tr(
                    "--{parameter} is fixed in kernels/{name}.cu; on a GPU it takes {taken}",
                    parameter=name,
                    name=kernel.name,
                    taken=", ".join(taken),
                )
            )
        asked[name] = value
    complete = kernel.recorded(asked)
    kernel.check(complete)
    return complete


_NAMES = {option.name for option in SIZE_OPTIONS}
