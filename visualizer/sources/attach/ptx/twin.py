"""One entry of a PTX module, rewritten so that its sites record what they do: a module of its own, the twin.

The entry comes with the functions and variables that it needs. Variables keep their names and can be asked for by them,
so that a launcher can give them the original's contents.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass, replace

from visualizer.language import tr
from visualizer.sources.attach.log_format import MOST_SITES, Keep
from visualizer.sources.attach.options import Level
from visualizer.sources.attach.ptx.body import Body, Found, Plan, called, has_sites
from visualizer.sources.attach.ptx.emit import CONTROL
from visualizer.sources.attach.ptx.forms import Form
from visualizer.sources.attach.ptx.markers import as_statements
from visualizer.sources.attach.ptx.module import Item, Module, Variable, visible
from visualizer.sources.attach.ptx.parameters import parameters
from visualizer.sources.attach.ptx.sites import Dropped, Site
from visualizer.sources.attach.ptx.stacks import Stacks
from visualizer.sources.errors import SourceError

_TARGET = re.compile(r"^[ \t]*\.target\s+(sm_\d+[af]?)", re.MULTILINE)
_VERSION = re.compile(r"^[ \t]*\.version\s+(\d+\.\d+)", re.MULTILINE)


@dataclass(frozen=True)
class Instrumented:
    """The twin and what is known of it."""

    ptx: str
    entry: str
    target: str  # "sm_90a"
    version: str  # of PTX, "8.8"
    plain: str  # the same entry as it was, with what it needs: the lines of sites count in it
    sites: tuple[Site, ...]  # by number, from 1
    variables: tuple[Variable, ...]
    dropped: tuple[Dropped, ...]
    pools: tuple[int, ...]  # registers that setmaxnreg asks for

    @property
    def cautions(self) -> list[str]:
        """What may make the twin act differently from the original, a sentence each."""
        pointing = [variable.name for variable in self.variables if variable.holds_addresses]
        if not pointing:
            return []
        return [
            tr(
                "{names} hold addresses of functions or variables of the original, which the recorded launch follows",
                names=", ".join(pointing),
            )
        ]


def instrument(
    text: str, entry: str, level: Level, keep: Keep = Keep.FIRST, left_out: Collection[Form] = ()
) -> Instrumented:
    """Rewrite `entry` of a module's `text`. `left_out`: forms not to record although the level asks for them.

    SourceError if the module has no such entry, needs what is in another one, or cannot be read.
    """
    try:
        return _instrumented(text, entry, Plan(level, keep, frozenset(left_out)))
    except (ValueError, IndexError) as problem:  # no number where one should be, or fewer operands than there should be
        raise SourceError(tr("its PTX cannot be read: {problem}; report it with the PTX", problem=problem)) from problem


def _instrumented(text: str, entry: str, plan: Plan) -> Instrumented:
    module = Module(text)
    needed = module.needed(module.entry(entry))
    plain = "\n".join(module.of(item) for item in needed)
    variables = module.variables(needed)
    taken = Module(plain)
    functions = {item.name: item for item in taken.functions(taken.items)}
    acting = as_statements(plain)
    recording = {name for name, item in functions.items() if has_sites(acting, item.body + 1, item.end - 1, plan)}
    reaching = _reaching(plain, functions, recording)
    plan = replace(plan, reaching=frozenset(reaching), anywhere=bool(recording))
    stacks = Stacks(text)
    found = Found()
    parts = [taken.of(item) for item in taken.items if item.kind == "header"] + [CONTROL]
    for item in taken.items:
        own = taken.of(item)
        if item.kind == "header":
            continue
        if item.kind == "entry":
            header = plain[item.begin : item.body]
            stacks.begin(item.name)
            body = Body(acting, item.body + 1, item.end - 1, parameters(header), plan, found, stacks).rewrite()
            parts.append(f"{visible(header)}{{{body}}}")
        elif item.name in recording and item.body >= 0:
            stacks.begin(item.name)
            body = Body(acting, item.body + 1, item.end - 1, None, plan, found, stacks).rewrite()
            parts.append(f"{plain[item.begin : item.body]}{{{body}}}")
        else:
            parts.append(visible(own) if item.space in ("global", "const") else own)
    if len(found.sites) > MOST_SITES:
        raise SourceError(tr("it has {count} sites, more than can be told apart", count=len(found.sites)))
    target, version = _TARGET.search(plain), _VERSION.search(plain)
    return Instrumented(
        "\n".join(parts) + "\n",
        entry,
        target[1] if target else "",
        version[1] if version else "",
        plain,
        tuple(found.sites),
        tuple(variables),
        tuple(found.dropped),
        tuple(sorted(set(found.pools))),
    )


def _reaching(text: str, functions: dict[str, Item], recording: set[str]) -> set[str]:
    """Functions that record, or call one that may."""
    calls = {name: called(text[item.body : item.end]) for name, item in functions.items()}
    reaching = set(recording)
    while True:
        more = {
            name
            for name, others in calls.items()
            if name not in reaching and (others & reaching or (recording and others - functions.keys()))
        }
        if not more:
            return reaching
        reaching |= more
