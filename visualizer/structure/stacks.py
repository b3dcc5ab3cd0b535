"""What the inline stacks of instructions say of barriers: CUTLASS's own words for what is done on them.

`ClusterBarrier::wait < PipelineTmaAsync<7>::producer_acquire < CollectiveMma::load` tells that the barrier is an empty
one, that its ring has seven stages and is filled by `load`. Inference looks at none of this; here the two are compared.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from visualizer.language import tr, trn
from visualizer.recording.tables import BarrierKind, Frame, Site
from visualizer.structure.cta_rings import CtaRings, FoundRing
from visualizer.structure.facts import Facts
from visualizer.structure.uses import Action

_CONTRADICTED = 0.5  # times this where the source says otherwise
_CONFIRMED = 0.5  # of the doubt is left where it says the same
_WAITS_ON: dict[str, BarrierKind] = {
    "producer_acquire": "empty",
    "producer_try_acquire": "empty",
    "producer_tail": "empty",
    "consumer_wait": "full",
    "consumer_try_wait": "full",
    "consumer_test_wait": "full",
}
_ACTS_ON: dict[str, BarrierKind] = {
    "producer_acquire": "full",  # it expects the bytes as well
    "producer_commit": "full",
    "producer_expect_transaction": "full",
    "consumer_release": "empty",
}
_ORDER = "OrderedSequenceBarrier"
_STAGES = re.compile(r"^Pipeline\w*<\s*(?:\(int\)\s*)?(\d+)")
_NAME = re.compile(r"^~?(?!_Z)[A-Za-z_]\w*")  # nothing that could not be demangled


@dataclass(frozen=True, slots=True)
class Call:
    """One instruction in CUTLASS's words."""

    does: str  # "producer_acquire"
    stages: int  # of the pipeline; 0: not told
    scope: str  # "CollectiveMma": whose `caller` calls it; "" where there is none
    caller: str  # "load"

    def kind(self, action: int) -> BarrierKind | None:
        """What a barrier is on which it does this; None: it does not say."""
        if self.does == _ORDER:
            return "order"
        return (_WAITS_ON if action == Action.WAIT else _ACTS_ON).get(self.does)


def calls_of(sites: Sequence[Site]) -> dict[int, Call]:
    """By row of `sites`: those whose stacks hold a call of a pipeline."""
    return {row: call for row, site in enumerate(sites) if (call := _call(site.stack)) is not None}


def confirm(facts: Facts, found: CtaRings, calls: Mapping[int, Call]) -> CtaRings:
    """The rings with the names that the source has for them, surer where it says the same, less sure where it says
    otherwise."""
    return replace(found, rings=tuple(_confirmed(facts, ring, calls) for ring in found.rings)) if calls else found


def distinct_names(wanted: Mapping[int, tuple[str, str]]) -> dict[int, str]:
    """A name for each ring by where it lies: its caller, with its class or a number where that is not enough."""
    callers = [caller for _, caller in wanted.values()]
    both = list(wanted.values())
    names: dict[int, str] = {}
    for at, (scope, caller) in sorted(wanted.items()):
        name = caller if callers.count(caller) == 1 else f"{scope}.{caller}" if scope else caller
        if callers.count(caller) > 1 and both.count((scope, caller)) > 1:
            same = sorted(other for other, one in wanted.items() if one == (scope, caller))
            name = f"{name}{same.index(at)}"
        names[at] = name
    return names


def _confirmed(facts: Facts, ring: FoundRing, calls: Mapping[int, Call]) -> FoundRing:
    same: dict[str, Call] = {}
    otherwise: list[str] = []
    for place in ring.places:
        kind: BarrierKind = "empty" if place in ring.empty else "full"
        for action, site, _ in sorted(facts.barriers[place].marks):
            call = calls.get(site)
            said = call.kind(action) if call is not None else None
            if call is None or said is None:
                continue
            if said != kind:
                otherwise.append(tr("{call} is called on one taken for {kind}", call=call.does, kind=kind))
            elif call.stages not in (0, len(ring.full)):
                otherwise.append(trn("its pipeline has {n} stage", "its pipeline has {n} stages", call.stages))
            else:
                same.setdefault(call.does, call)
    if otherwise:
        why = tr("{why}; but the source says otherwise: {what}", why=ring.why, what=otherwise[0])
        return replace(ring, confidence=ring.confidence * _CONTRADICTED, why=why)
    if not same:
        return ring
    # A ring is called after who fills it.
    _, after = min(same.items(), key=lambda one: (not one[0].startswith("producer"), one[0]))
    return replace(
        ring,
        confidence=1.0 - (1.0 - ring.confidence) * _CONFIRMED,
        why=tr("{why}; the source says the same ({calls})", why=ring.why, calls=tr(", ").join(sorted(same))),
        named=(after.scope, after.caller),
    )


def _call(stack: Sequence[Frame]) -> Call | None:
    """The outermost call of a pipeline's method, for one may call another, and who calls it."""
    paths = [function_path(frame.function) for frame in stack]
    at = [row for row, path in enumerate(paths) if path and (path[-1] in _WAITS_ON or path[-1] in _ACTS_ON)]
    if not at:
        ordered = [row for row, path in enumerate(paths) if len(path) > 1 and _plain(path[-2]) == _ORDER]
        return Call(_ORDER, 0, "", "") if ordered else None
    method = paths[at[-1]]
    pipeline = _STAGES.match(method[-2]) if len(method) > 1 else None
    caller = next((path for path in paths[at[-1] + 1 :] if path and _NAME.fullmatch(path[-1])), [])
    return Call(
        method[-1],
        int(pipeline[1]) if pipeline else 0,
        _plain(caller[-2]) if len(caller) > 1 else "",
        caller[-1] if caller else "",
    )


def _plain(name: str) -> str:
    """A class's name without its arguments."""
    return name.partition("<")[0]


def function_path(function: str) -> list[str]:
    """A demangled function's name by its `::`, the function's own last and without arguments: `["cutlass",
    "PipelineTmaAsync<7>", "producer_acquire"]`."""
    parts: list[str] = []
    part, depth = "", 0
    for character in function:
        if character in "<(":
            if character == "(" and not depth and part and not part.endswith("operator"):
                break  # its parameters
            depth += 1
        if depth or character not in ": ":
            part += character
        elif part:
            # A space parts the type that it returns.
            parts = [*parts, part] if character == ":" else []
            part = ""
        if character in ">)" and depth:
            depth -= 1
    return [*parts, _plain(part)] if part else parts
