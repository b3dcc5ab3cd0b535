"""Every form of instruction that is a site: what it is, which of its operands matter, and how it is recorded.

From the PTX ISA: `mbarrier`, `cp.async.bulk`, `st.async`, `tcgen05.commit`, `clusterlaunchcontrol`, `bar`, `barrier`,
`wgmma`, `fence.proxy`, `setmaxnreg`. Forms that no event tells of (`griddepcontrol`, `mbarrier.pending_count`,
prefetches, the issue of bulk stores, which their commit tells) are known here too, so that an unknown one is noticed.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from visualizer.recording.schema import EventKind
from visualizer.sources.attach.options import LEVELS, Level

How = Literal["wait", "each", "group", "warp", "around"]
"""wait: by the lowest active lane, behind it, with what it answered and how long it took.
each: by every lane that does it. group: by the lowest lane of those with the same barrier, with their number.
warp: by the lowest active lane. around: by the lowest active lane, before and behind it. All but waits and the second
of around are recorded before the instruction."""


@dataclass(frozen=True, slots=True)
class Form:
    """Operands are counted from 0, the destination included; None: there is none."""

    name: str
    opcode: str  # a regular expression of its beginning
    level: Level | None  # None: no event tells of it
    how: How = "each"
    kinds: tuple[EventKind, ...] = ()  # what a record becomes, (): a name; of `around`, one before and one behind
    barrier: int | None = None  # the mbarrier's address
    value: int | None = None  # what goes into the record's value
    default: int = 0  # its value where the operand is left out
    name_operand: int | None = None  # of a barrier with a number: goes where the address would
    fixed: bool = False  # the value is `default`
    mask: bool = False  # the operand behind the barrier says which CTAs of the cluster, if it is a multicast
    destination: int | None = None  # of a copy
    marks: bool = False  # no instruction: a name in the kernel's source (markers.py), which only the record knows
    scoped: bool = False  # may be ordered behind earlier stores of a wider scope, which takes long: stored behind it


_K = EventKind
_WAIT = (_K.WAIT_BEGIN, _K.WAIT_END)

FORMS: tuple[Form, ...] = (
    # In the order in which they are kept when registers are short.
    Form("mbarrier.try_wait", r"mbarrier\.try_wait\.", "waits", "wait", _WAIT, barrier=1, value=2),
    Form("mbarrier.test_wait", r"mbarrier\.test_wait\.", "waits", "wait", _WAIT, barrier=1, value=2),
    # Names in the kernel's own source.
    Form("phasescope.barrier", r"phasescope\.barrier\b", None, marks=True),  # the array of the next mbarrier.init
    Form("phasescope.role", r"phasescope\.role\b", "waits", "warp", marks=True),
    Form("phasescope.begin", r"phasescope\.begin\b", "waits", "warp", (_K.RANGE_BEGIN,), marks=True),
    Form("phasescope.end", r"phasescope\.end\b", "waits", "warp", (_K.RANGE_END,), marks=True),
    Form("mbarrier.init", r"mbarrier\.init\.", "barriers", "each", (_K.INIT,), barrier=0, value=1),
    Form(
        "mbarrier.arrive.expect_tx",
        r"mbarrier\.arrive\.expect_tx\.",
        "barriers",
        "each",
        (_K.ARRIVE_EXPECT_TX,),
        barrier=1,
        value=2,
        scoped=True,
    ),
    Form(
        "mbarrier.arrive_drop.expect_tx",
        r"mbarrier\.arrive_drop\.expect_tx\.",
        "barriers",
        "each",
        (_K.EXPECT_TX, _K.ARRIVE_DROP),
        barrier=1,
        value=2,
        scoped=True,
    ),
    Form(
        "mbarrier.arrive_drop",
        r"mbarrier\.arrive_drop\.",
        "barriers",
        "group",
        (_K.ARRIVE_DROP,),
        barrier=1,
        value=2,
        default=1,
        scoped=True,
    ),
    Form(
        "mbarrier.arrive",
        r"mbarrier\.arrive\.",
        "barriers",
        "group",
        (_K.ARRIVE,),
        barrier=1,
        value=2,
        default=1,
        scoped=True,
    ),
    Form("mbarrier.expect_tx", r"mbarrier\.expect_tx\.", "barriers", "each", (_K.EXPECT_TX,), barrier=0, value=1),
    Form("mbarrier.complete_tx", r"mbarrier\.complete_tx\.", "barriers", "each", (_K.COMPLETE_TX,), barrier=0, value=1),
    Form("mbarrier.inval", r"mbarrier\.inval\.", "barriers", "each", (_K.INVAL,), barrier=0),
    Form(
        "cp.async.mbarrier.arrive.noinc",
        r"cp\.async\.mbarrier\.arrive\.noinc\.",
        "barriers",
        "group",
        (_K.CP_ASYNC_ARRIVE_NOINC,),
        barrier=0,
        default=1,
        fixed=True,
    ),
    Form(
        "cp.async.mbarrier.arrive",
        r"cp\.async\.mbarrier\.arrive\.(?!noinc)",
        "barriers",
        "group",
        (_K.CP_ASYNC_ARRIVE,),
        barrier=0,
        default=1,
        fixed=True,
    ),
    Form(
        "cp.async.bulk.tensor",
        r"cp\.async\.bulk\.tensor\.[1-5]d\..*mbarrier::complete_tx::bytes",
        "barriers",
        "each",
        (_K.COPY_ISSUE,),
        barrier=2,
        destination=0,
        mask=True,
    ),
    Form(
        "cp.async.bulk",
        r"cp\.(?:reduce\.)?async\.bulk\.shared::.*mbarrier::complete_tx::bytes",
        "barriers",
        "each",
        (_K.COPY_ISSUE,),
        barrier=3,
        value=2,
        mask=True,
    ),
    Form(
        "st.async",
        r"(?:st|red)\.async\..*mbarrier::complete_tx::bytes",
        "barriers",
        "each",
        (_K.COPY_ISSUE,),
        barrier=2,
        fixed=True,
    ),
    Form(
        "clusterlaunchcontrol.try_cancel",
        r"clusterlaunchcontrol\.try_cancel\.",
        "barriers",
        "each",
        (_K.COPY_ISSUE,),
        barrier=1,
        default=16,
        fixed=True,
    ),
    Form(
        "tcgen05.commit",
        r"tcgen05\.commit\.",
        "barriers",
        "each",
        (_K.TENSOR_COMMIT,),
        barrier=0,
        default=1,
        fixed=True,
        mask=True,
    ),
    Form("fence.mbarrier_init", r"fence\.mbarrier_init\.", "all", "warp", (_K.FENCE,)),
    Form("fence.proxy.async", r"fence\.proxy\.async", "all", "warp", (_K.PROXY_FENCE,)),
    Form("bar.arrive", r"bar(?:rier)?(?:\.cta)?\.arrive\b", "all", "warp", (_K.SYNC_ARRIVE,), name_operand=0, value=1),
    Form(
        "bar.sync",
        r"bar(?:rier)?(?:\.cta)?\.sync\b",
        "all",
        "around",
        (_K.SYNC_BEGIN, _K.SYNC_END),
        name_operand=0,
        value=1,
    ),
    Form(
        "bar.red",
        r"bar(?:rier)?(?:\.cta)?\.red\b",
        "all",
        "around",
        (_K.SYNC_BEGIN, _K.SYNC_END),
        name_operand=1,
        fixed=True,
    ),
    Form("barrier.cluster.arrive", r"barrier\.cluster\.arrive\b", "all", "warp", (_K.CLUSTER_ARRIVE,)),
    Form(
        "barrier.cluster.wait",
        r"barrier\.cluster\.wait\b",
        "all",
        "around",
        (_K.CLUSTER_WAIT_BEGIN, _K.CLUSTER_WAIT_END),
    ),
    Form(
        "cp.async.bulk.wait_group",
        r"cp\.async\.bulk\.wait_group\b",
        "all",
        "around",
        (_K.STORE_WAIT_BEGIN, _K.STORE_WAIT_END),
        value=0,
    ),
    Form("cp.async.bulk.commit_group", r"cp\.async\.bulk\.commit_group\b", "all", "warp", (_K.STORE_COMMIT,)),
    Form(
        "wgmma.wait_group",
        r"wgmma\.wait_group\.",
        "all",
        "around",
        (_K.WGMMA_WAIT_BEGIN, _K.WGMMA_WAIT_END),
        value=0,
    ),
    Form("wgmma.commit_group", r"wgmma\.commit_group\.", "all", "warp", (_K.WGMMA_COMMIT,)),
    Form("setmaxnreg.dec", r"setmaxnreg\.dec\.", "all", "warp", (_K.SETMAXNREG_DEC,), value=0),
    Form(
        "setmaxnreg.inc",
        r"setmaxnreg\.inc\.",
        "all",
        "around",
        (_K.SETMAXNREG_INC_BEGIN, _K.SETMAXNREG_INC_END),
        value=0,
    ),
    Form("mbarrier.pending_count", r"mbarrier\.pending_count\.", None),
    Form("cp.async.bulk store", r"cp\.(?:reduce\.)?async\.bulk\.(?:tensor\.[1-5]d\.)?global\.", None),
    Form("cp.async.bulk.prefetch", r"cp\.async\.bulk\.prefetch\.", None),
    Form("clusterlaunchcontrol.query_cancel", r"clusterlaunchcontrol\.query_cancel\.", None),
    Form("griddepcontrol", r"griddepcontrol\.", None),
    Form("cp.async", r"cp\.async\.(?!bulk\.|mbarrier\.)", None),
    Form("bar.warp", r"bar(?:rier)?\.warp\.", None),
    Form("tcgen05", r"tcgen05\.(?!commit)", None),
    Form("wgmma", r"wgmma\.(?:mma_async|fence)\b", None),
    Form("fence", r"fence\.(?!proxy\.async|mbarrier_init)", None),
    Form("store", r"(?:st|red)\.(?!async\b.*mbarrier)", None),
)

FAMILY = re.compile(r"mbarrier\.|cp\.(?:reduce\.)?async\.|bar|wgmma\.|tcgen05\.|clusterlaunch|fence\.proxy|.*mbarrier")
"""Opcodes that must be of some form."""

_ANY = re.compile("|".join(f"(?P<f{row}>{form.opcode})" for row, form in enumerate(FORMS)))


def form_of(opcode: str) -> Form | None:
    """The form of an opcode; None if it is of none, or is no site of any level."""
    found = _ANY.match(opcode)
    return FORMS[int((found.lastgroup or "f0")[1:])] if found is not None else None


def is_recorded(form: Form, level: Level) -> bool:
    return form.level is not None and LEVELS.index(form.level) <= LEVELS.index(level)
