"""The PTX that records: how a warp begins and leaves, and what stands around a site. log_format.py says what it writes.

What a record costs is instructions in the kernel's own loops (docs/hardware.md, "What logging costs"), so:
- a lane keeps two numbers, the row of its next record and where its room ends; three instructions make the address
  and tell whether there is room, one stores, one counts;
- temporaries are defined without a predicate - under one they would stay alive through the whole kernel - and only
  what has an effect, the store and the step to the next row, has one;
- there is no branch, and nothing that ptxas makes one of: a predicated atomic is. Only an instruction that is itself
  predicated and done by a warp as one has a branch around it, and the records of a wait's two answers are behind one:
  it waits there anyway;
- the clock before a wait goes into the record as it is: worked with, it would be read by the slower of two ways.
"""

from __future__ import annotations

from enum import Enum, auto
from typing import Literal

from visualizer.sources.attach.log_format import (
    CONTROL_DTYPE,
    CONTROL_SYMBOL,
    HEADER_DTYPE,
    LANE_BITS,
    LEFT,
    NOT_RECORDED,
    PART_BITS,
    Keep,
)

CONTROL = f".visible .const .align 16 .b8 {CONTROL_SYMBOL}[{CONTROL_DTYPE.itemsize}];"

DECLARATIONS = ".reg .b32 %ps_row,%ps_end,%ps_below,%ps_lane_0,%ps_end_0;"
"""Where the first records are kept: the row of the lane's next record, and the one behind its room; both 0 for a lane
without. Where the last are: how many it made, negative for a lane without room; and the first row of its stream.
The mask of the lanes below it. 1, and where the room ends, in lane 0; 0 in others."""

SCRATCH = """{.reg .b32 %ps_a,%ps_v,%ps_c,%ps_d,%ps_w,%ps_m,%ps_n;.reg .b64 %ps_x,%ps_y;
.reg .pred %ps_p,%ps_q,%ps_s,%ps_u;
"""
"""Opens a scope with the temporaries of a site."""
_NO_ROOM = 0x80000000


def scratch(body: str) -> str:
    """A scope with the temporaries of a site."""
    return f"{SCRATCH}{body}\n}}\n"


def _control(field: str) -> str:
    """The place of a field of the control block, as an address."""
    assert CONTROL_DTYPE.fields is not None
    return f"[{CONTROL_SYMBOL}+{CONTROL_DTYPE.fields[field][1]}]"


def _header(field: str) -> int:
    assert HEADER_DTYPE.fields is not None
    return int(HEADER_DTYPE.fields[field][1])


_WHO = f"""
.reg .b32 %ps_cta,%ps_slot,%ps_warp,%ps_e,%ps_f,%ps_g;
mov.u32 %ps_e,%ctaid.z; mov.u32 %ps_f,%nctaid.y; mov.u32 %ps_g,%ctaid.y; mad.lo.u32 %ps_g,%ps_e,%ps_f,%ps_g;
mov.u32 %ps_f,%nctaid.x; mov.u32 %ps_e,%ctaid.x; mad.lo.u32 %ps_cta,%ps_g,%ps_f,%ps_e;
mov.u32 %ps_e,%tid.z; mov.u32 %ps_f,%ntid.y; mov.u32 %ps_g,%tid.y; mad.lo.u32 %ps_g,%ps_e,%ps_f,%ps_g;
mov.u32 %ps_f,%ntid.x; mov.u32 %ps_e,%tid.x; mad.lo.u32 %ps_warp,%ps_g,%ps_f,%ps_e; shr.u32 %ps_warp,%ps_warp,5;
setp.eq.u32 %ps_u,%ps_warp,0;
ld.const.u64 %ps_x,{_control("buffer")}; mov.u32 %ps_slot,%ps_cta;
ld.const.u32 %ps_e,{_control("table")}; setp.ne.u32 %ps_p,%ps_e,0;
mul.wide.u32 %ps_y,%ps_cta,4; add.u64 %ps_y,%ps_y,%ps_x; @%ps_p ld.global.u32 %ps_slot,[%ps_y];
setp.ne.u32 %ps_s,%ps_slot,{NOT_RECORDED};
ld.const.u32 %ps_e,{_control("warps")}; mad.lo.u32 %ps_warp,%ps_slot,%ps_e,%ps_warp;"""
"""%ps_cta: the CTA's linear id; %ps_slot; %ps_warp: the warp among all that are recorded; %ps_s: whether it is; %ps_u:
whether it is its CTA's first. %ps_x: the buffer."""

_STREAM = f"""
mov.u32 %ps_below,%lanemask_lt; mov.u32 %ps_lane_0,%lanemask_eq; and.b32 %ps_lane_0,%ps_lane_0,1;
ld.const.u32 %ps_m,{_control("lanes")}; popc.b32 %ps_f,%ps_m; mul.lo.u32 %ps_g,%ps_warp,%ps_f;
mov.u32 %ps_n,%lanemask_eq; and.b32 %ps_n,%ps_n,%ps_m; setp.ne.and.u32 %ps_q,%ps_n,0,%ps_s;
and.b32 %ps_m,%ps_m,%ps_below; popc.b32 %ps_m,%ps_m; add.u32 %ps_g,%ps_g,%ps_m;
ld.const.u32 %ps_e,{_control("rows")}; ld.const.u32 %ps_f,{_control("first")};"""
"""%ps_g: the lane's stream if it has one, %ps_q. %ps_e: rows of a stream; %ps_f: the first row of all."""


def _start(keep: Keep) -> str:
    """Set what a lane keeps, behind _WHO and _STREAM."""
    if keep is Keep.FIRST:
        return """
mad.lo.u32 %ps_row,%ps_g,%ps_e,%ps_f; selp.u32 %ps_row,%ps_row,0,%ps_q;
add.u32 %ps_end,%ps_row,%ps_e; selp.u32 %ps_end,%ps_end,0,%ps_q;
mul.lo.u32 %ps_end_0,%ps_end,%ps_lane_0;"""
    return f"""
mad.lo.u32 %ps_end,%ps_g,%ps_e,%ps_f; selp.u32 %ps_row,0,{_NO_ROOM},%ps_q;"""


def _made(keep: Keep) -> str:
    """%ps_n: how many records the lane made."""
    if keep is Keep.FIRST:
        return "sub.u32 %ps_n,%ps_end,%ps_e; selp.u32 %ps_n,%ps_n,0,%ps_q; sub.u32 %ps_n,%ps_row,%ps_n;"
    return f"and.b32 %ps_n,%ps_row,{_NO_ROOM - 1};"


_COUNT = f"""
ld.const.u64 %ps_y,{_control("counts")}; add.u64 %ps_y,%ps_y,%ps_x;
add.u32 %ps_g,%ps_g,1; selp.u32 %ps_g,%ps_g,0,%ps_q; cvt.u64.u32 %ps_x,%ps_g; shl.b64 %ps_x,%ps_x,2;
add.u64 %ps_y,%ps_y,%ps_x;"""
"""%ps_y: where the lane's records are counted, behind _WHO and _STREAM."""


def save(keep: Keep, leaves: Literal["", "function", "kernel"] = "") -> str:
    """Before a call of a function that records, and as one returns: how many records the lane made, kept in memory.
    `leaves`: what ends here. A lane without room has told then what it will."""
    shared = """
not.pred %ps_q,%ps_q; setp.ne.and.u32 %ps_q,%ps_n,0,%ps_q; and.pred %ps_q,%ps_q,%ps_s;
@%ps_q red.global.add.u32 [%ps_y],%ps_n;"""
    count = f"{_WHO}{_STREAM}\n{_made(keep)}{_COUNT}"
    left = f" or.b32 %ps_m,%ps_n,{LEFT};" if leaves == "kernel" else " mov.u32 %ps_m,%ps_n;"
    return scratch(f"{count}{left}\n@%ps_q st.global.u32 [%ps_y],%ps_m;{shared if leaves else ''}")


def restore(keep: Keep) -> str:
    """Behind such a call."""
    add = "sub.u32 %ps_m,%ps_end,%ps_e; add.u32 %ps_n,%ps_n,%ps_m;" if keep is Keep.FIRST else ""
    return scratch(
        f"{_WHO}{_STREAM}\n{_COUNT}\nmov.u32 %ps_n,0; @%ps_q ld.global.u32 %ps_n,[%ps_y]; {add}"
        "\nselp.u32 %ps_row,%ps_n,%ps_row,%ps_q;"
    )


def function_beginning(keep: Keep) -> str:
    """What a function with sites does first, when it has been called."""
    return scratch(f"{_WHO}{_STREAM}{_start(keep)}") + restore(keep)


_HEADER_ADDRESS = f"""
ld.const.u64 %ps_y,{_control("headers")}; add.u64 %ps_x,%ps_x,%ps_y;
mul.wide.u32 %ps_y,%ps_warp,{HEADER_DTYPE.itemsize}; add.u64 %ps_y,%ps_x,%ps_y;"""

_ONE_LANE = """
activemask.b32 %ps_m; and.b32 %ps_m,%ps_m,%ps_below; setp.eq.and.u32 %ps_s,%ps_m,0,%ps_s;"""

_TICK = """
.reg .b64 %ps_i,%ps_j,%ps_k,%ps_h;
mov.u64 %ps_h,%globaltimer;
ps_tick: mov.u64 %ps_i,%clock64; mov.u64 %ps_j,%globaltimer; mov.u64 %ps_k,%clock64;
setp.eq.and.u64 %ps_p,%ps_j,%ps_h,%ps_u; @%ps_p bra ps_tick;
sub.u64 %ps_h,%ps_k,%ps_i; cvt.u32.u64 %ps_e,%ps_h;"""
"""Clocks %ps_k and %ps_j right after the global timer ticked in a CTA's first warp, which takes up to 32 ns; %ps_e
cycles between which it was read."""


def beginning(keep: Keep, parameter: str) -> str:
    """What a kernel does first. `parameter`: the entry's first; "": it has none."""
    parameters = f"mov.b64 %ps_h,{parameter}; cvta.param.u64 %ps_h,%ps_h;" if parameter else "mov.u64 %ps_h,0;"
    return scratch(
        f"""{_WHO}{_STREAM}{_start(keep)}{_ONE_LANE}
@!%ps_s bra ps_begun;{_HEADER_ADDRESS}{_TICK}
st.global.v2.u64 [%ps_y+{_header("start_clock")}],{{%ps_k,%ps_j}};
add.u32 %ps_cta,%ps_cta,1; mov.u32 %ps_f,%cluster_ctarank; mov.u32 %ps_g,%cluster_nctaid.x;
shl.b32 %ps_g,%ps_g,8; or.b32 %ps_f,%ps_f,%ps_g; mov.u32 %ps_g,%cluster_nctaid.y; shl.b32 %ps_g,%ps_g,16;
or.b32 %ps_f,%ps_f,%ps_g; mov.u32 %ps_g,%cluster_nctaid.z; shl.b32 %ps_g,%ps_g,24; or.b32 %ps_f,%ps_f,%ps_g;
mov.u32 %ps_g,%smid; {parameters} st.global.u64 [%ps_y+{_header("parameters")}],%ps_h;
st.global.v4.u32 [%ps_y+{_header("cta")}],{{%ps_cta,%ps_f,%ps_g,%ps_e}};
ps_begun:"""
    )


def leaving(keep: Keep) -> str:
    """What a warp does before it leaves; of several lanes that leave at different times the last one's time stays."""
    return save(keep, "kernel") + scratch(
        f"""{_WHO}{_ONE_LANE}
@!%ps_s bra ps_left;{_HEADER_ADDRESS}{_TICK}
st.global.v2.u64 [%ps_y+{_header("exit_clock")}],{{%ps_k,%ps_j}}; st.global.u32 [%ps_y+{_header("exit_spread")}],%ps_e;
ps_left:"""
    )


def word(site: int, part: int = 0, lanes: int = 0) -> int:
    """The word of a record."""
    return site << (LANE_BITS + PART_BITS) | part << LANE_BITS | lanes


class Who(Enum):
    """Of the lanes that are active, those that record."""

    ALL = auto()
    CHOSEN = auto()
    """Where %ps_p holds."""
    LANE_0 = auto()
    """Where %ps_p holds too; whether it steps, and has room, is asked of numbers that are 0 in other lanes."""


LOWEST = "activemask.b32 %ps_m; and.b32 %ps_m,%ps_m,%ps_below; setp.eq.u32 %ps_p,%ps_m,0;"
"""%ps_p: this is the lowest active lane."""

LANE_0 = "setp.ne.u32 %ps_p,%ps_lane_0,0;"
"""The same where lane 0 is active (whole.py)."""

CLOCK = "mov.u32 %ps_c,%clock;"


def place(keep: Keep, who: Who = Who.CHOSEN) -> str:
    """%ps_x: where the next record goes. %ps_q: this lane records, and there is room for it."""
    combined, both = ("", "") if who is Who.ALL else (".and", ",%ps_p")
    if keep is Keep.FIRST:
        room = f"setp.lt{combined}.u32 %ps_q,%ps_row,%ps_end{both};"
        if who is Who.LANE_0:
            room = "setp.lt.u32 %ps_q,%ps_row,%ps_end_0;"
        room += " cvt.u64.u32 %ps_x,%ps_row;"
    else:
        room = (
            f"setp.ge{combined}.s32 %ps_q,%ps_row,0{both}; ld.const.u32 %ps_n,{_control('rows')};"
            " sub.u32 %ps_n,%ps_n,1; and.b32 %ps_n,%ps_n,%ps_row; or.b32 %ps_n,%ps_n,%ps_end;"
            " cvt.u64.u32 %ps_x,%ps_n;"
        )
    return f"{room}\nshl.b64 %ps_x,%ps_x,4; ld.const.u64 %ps_y,{_control('buffer')}; add.u64 %ps_x,%ps_x,%ps_y;"


def put(who: Who = Who.CHOSEN) -> str:
    """Behind `place`, of the same lanes: a record of %ps_c, %ps_w, %ps_a and %ps_v."""
    step = {
        Who.ALL: "add.u32 %ps_row,%ps_row,1;",
        Who.CHOSEN: "@%ps_p add.u32 %ps_row,%ps_row,1;",
        Who.LANE_0: "add.u32 %ps_row,%ps_row,%ps_lane_0;",
    }[who]
    return f"@%ps_q st.global.v4.u32 [%ps_x],{{%ps_c,%ps_w,%ps_a,%ps_v}};\n{step}"


def store(keep: Keep, who: Who = Who.CHOSEN) -> str:
    """A record of %ps_c, %ps_w, %ps_a and %ps_v."""
    return f"{place(keep, who)}\n{put(who)}"
