"""What a kernel of ours is: the sizes it takes, how it is launched, and what it should come to. Knows no CUDA."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from numpy.typing import NDArray

from visualizer.language import tr
from visualizer.programs.kernel_storage import without_room
from visualizer.sources.errors import SourceError


@dataclass(frozen=True, slots=True)
class Size:
    """A size that can be chosen: a multiple of `multiple` up to `most`, or one of `choices`."""

    default: int
    recorded: int  # the default where it is recorded: a recording of some hundred kilobytes tells as much
    multiple: int = 1
    choices: tuple[int, ...] = ()
    most: int = 1 << 14
    least: int = 1


@dataclass(frozen=True, slots=True)
class Boxes:
    """An argument: the tensor map of a matrix, in boxes of `rows` rows of 64 halves."""

    array: str
    rows: int


@dataclass(frozen=True, eq=False)
class Launch:
    """A launch on given data."""

    arrays: Mapping[str, NDArray[Any]]  # copied to the GPU
    arguments: tuple[Boxes | str | int, ...]  # a tensor map, the address of an array, a 32-bit number
    result: str  # the array that the kernel writes
    wrong: Callable[[NDArray[Any]], int]  # how many of the result's values are not what they should be
    grid: tuple[int, int]
    threads: int
    shared_bytes: int
    defines: tuple[str, ...] = ()
    flop: float = 0.0
    bytes_loaded: float = 0.0  # into shared memory


@dataclass(frozen=True, slots=True)
class PipelineKernel:
    """kernels/NAME.cu, whose kernel has the file's name."""

    name: str
    parameters: Mapping[str, Size]
    faults: tuple[str, ...]  # that can be compiled in; all of them hang
    prepare: Callable[[Mapping[str, int]], Launch]
    storage: Callable[..., int]  # bytes of its SharedStorage, by the stages of its `rings`
    tiles: Callable[[Mapping[str, int]], int]  # that go through a ring of a CTA
    rings: Mapping[str, str]  # by the parameter that counts its stages, a ring as attach names it: by who loads it
    library: Literal["", "matmul", "attention"] = ""  # what torch has of the same

    def check(self, values: Mapping[str, int]) -> None:
        """SourceError names the parameter that is wrong; nothing is prepared."""
        for name, value in values.items():
            if name not in self.parameters:
                raise SourceError(tr("{name} has no parameter {parameter}", name=self.name, parameter=f"--{name}"))
            self._check(name, value)
        complete = self.complete(values)
        ctas, cluster = complete.get("ctas", 1), complete.get("cluster", 1)
        if ctas % cluster:
            raise SourceError(
                tr("--ctas is {ctas}, which is no multiple of the cluster's {cluster} CTAs", ctas=ctas, cluster=cluster)
            )
        stages = {f"--{one}": complete[one] for one in self.rings}
        if problem := without_room(self.name, stages, self.shared_bytes(complete)):
            raise SourceError(problem)

    def launch(self, values: Mapping[str, int]) -> Launch:
        """With the defaults for what `values` leaves out. SourceError as of `check`."""
        self.check(values)
        complete = self.complete(values)
        return replace(self.prepare(complete), defines=self.defines(complete))

    def defines(self, values: Mapping[str, int]) -> tuple[str, ...]:
        """The options of the compiler that say what is fixed in a build, of complete values."""
        return tuple(
            f"-DPHASESCOPE_{name.replace('-', '_').upper()}={values[name]}"
            for name in ("cluster", *self.rings)
            if name in values
        )

    def shared_bytes(self, values: Mapping[str, int]) -> int:
        """Of its SharedStorage, of complete values."""
        return self.storage(*(values[one] for one in self.rings))

    def stages_of(self, ring: str) -> str:
        """The parameter that counts the stages of this ring; "": the only one. SourceError: there is none."""
        for name, title in self.rings.items():
            if ring in ("", title) and (ring or len(self.rings) == 1):
                return name
        raise SourceError(
            tr(
                "{name} cannot be run with other stages of ring {ring!r}; of its rings it can choose those of {rings}",
                name=self.name,
                ring=ring,
                rings=", ".join(self.rings.values()),
            )
        )

    def recorded(self, values: Mapping[str, int]) -> dict[str, int]:
        """With the sizes of a recording for what is left out."""
        return {name: one.recorded for name, one in self.parameters.items()} | dict(values)

    def complete(self, values: Mapping[str, int]) -> dict[str, int]:
        """With the defaults for what is left out."""
        return {name: one.default for name, one in self.parameters.items()} | dict(values)

    def _check(self, name: str, value: int) -> None:
        wanted = self.parameters[name]
        if wanted.choices and value not in wanted.choices:
            raise SourceError(
                tr(
                    "--{parameter} is {value}; {name} takes {choices}",
                    parameter=name,
                    value=value,
                    name=self.name,
                    choices=", ".join(map(str, wanted.choices)),
                )
            )
        if wanted.multiple == 1 and not wanted.least <= value <= wanted.most:
            raise SourceError(
                tr(
                    "--{parameter} is {value}; {name} takes {least} to {most}",
                    parameter=name,
                    value=value,
                    name=self.name,
                    least=wanted.least,
                    most=wanted.most,
                )
            )
        if not 1 <= value <= wanted.most or value % wanted.multiple:
            raise SourceError(
                tr(
                    "--{parameter} is {value}; {name} takes multiples of {multiple}, from {multiple} to {most}",
                    parameter=name,
                    value=value,
                    name=self.name,
                    multiple=wanted.multiple,
                    most=wanted.most,
                )
            )
