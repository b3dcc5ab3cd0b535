"""The PTX that records: how a warp begins and leaves, and what stands around a site. `record.py` says what it writes.

What a record costs is instructions in the kernel's own loops (docs/hardware.md, "What logging costs"), so:
- the place of a lane's next record is one pair of registers, and the end of its stream shows in that address itself;
- temporaries are defined without a predicate - under one they would stay alive through the whole kernel - and only
  what has an effect, the store and the step to the next place, has one;
- there is no branch, except around an instruction that is itself predicated and done by a warp as one.
"""

from __future__ import annotations

from visualizer.sources.attach.record import (
    CONTROL_DTYPE,
    CONTROL_SYMBOL,
    HEADER_DTYPE,
    LANE_BITS,
    NOT_RECORDED,
    PART_BITS,
    Keep,
)

CONTROL = f".visible .const .align 16 .b8 {CONTROL_SYMBOL}[{CONTROL_DTYPE.itemsize}];"

_HEADER = HEADER_DTYPE.fields
_FIELD = CONTROL_DTYPE.fields
assert _FIELD is not None
assert _HEADER is not None

DECLARATIONS = ".reg .b32 %ps_low,%ps_high,%ps_below;"
"""Low and high half of the address of the lane's next record; the mask of the lanes below it."""

_SCRATCH = """.reg .b32 %ps_a,%ps_v,%ps_c,%ps_d,%ps_t,%ps_w,%ps_m,%ps_n;.reg .b64 %ps_x,%ps_y;
.reg .pred %ps_p,%ps_q,%ps_r,%ps_s,%ps_u;
"""


def control(field: str) -> str:
    """The place of a field of the control block, as an address."""
    assert _FIELD is not None
    return f"[{CONTROL_SYMBOL}+{_FIELD[field][1]}]"


def _header(field: str) -> int:
    assert _HEADER is not None
    return int(_HEADER[field][1])


def scratch(body: str) -> str:
    """A scope with the temporaries of a site."""
    return f"{{{_SCRATCH}\n{body}\n}}\n"


_WHO = f"""
.reg .b32 %ps_cta,%ps_slot,%ps_row,%ps_e,%ps_f,%ps_g;
mov.u32 %ps_e,%ctaid.z; mov.u32 %ps_f,%nctaid.y; mov.u32 %ps_g,%ctaid.y; mad.lo.u32 %ps_g,%ps_e,%ps_f,%ps_g;
mov.u32 %ps_f,%nctaid.x; mov.u32 %ps_e,%ctaid.x; mad.lo.u32 %ps_cta,%ps_g,%ps_f,%ps_e;
mov.u32 %ps_e,%tid.z; mov.u32 %ps_f,%ntid.y; mov.u32 %ps_g,%tid.y; mad.lo.u32 %ps_g,%ps_e,%ps_f,%ps_g;
mov.u32 %ps_f,%ntid.x; mov.u32 %ps_e,%tid.x; mad.lo.u32 %ps_row,%ps_g,%ps_f,%ps_e; shr.u32 %ps_row,%ps_row,5;
setp.eq.u32 %ps_u,%ps_row,0;
ld.const.u64 %ps_x,{control("buffer")}; mov.u32 %ps_slot,%ps_cta;
ld.const.u32 %ps_e,{control("table")}; setp.ne.u32 %ps_p,%ps_e,0;
mul.wide.u32 %ps_y,%ps_cta,4; add.u64 %ps_y,%ps_y,%ps_x; @%ps_p ld.global.u32 %ps_slot,[%ps_y];
setp.ne.u32 %ps_s,%ps_slot,{NOT_RECORDED};
ld.const.u32 %ps_e,{control("warps")}; mad.lo.u32 %ps_row,%ps_slot,%ps_e,%ps_row;"""
"""The CTA's linear id and slot, the row of the warp among all that are recorded, whether it is recorded (%ps_s), and
whether the warp is its CTA's first (%ps_u)."""

_HEADER_ADDRESS = f"""
ld.const.u64 %ps_y,{control("headers")}; add.u64 %ps_x,%ps_x,%ps_y;
mul.wide.u32 %ps_y,%ps_row,{HEADER_DTYPE.itemsize}; add.u64 %ps_y,%ps_x,%ps_y;"""

_ONE_LANE = """
activemask.b32 %ps_m; mov.u32 %ps_e,%lanemask_lt; and.b32 %ps_m,%ps_m,%ps_e; setp.eq.and.u32 %ps_s,%ps_m,0,%ps_s;"""

_TICK = """
.reg .b64 %ps_i,%ps_j,%ps_k,%ps_h;
mov.u64 %ps_h,%globaltimer;
{label}: mov.u64 %ps_i,%clock64; mov.u64 %ps_j,%globaltimer; mov.u64 %ps_k,%clock64;
setp.eq.and.u64 %ps_p,%ps_j,%ps_h,%ps_u; @%ps_p bra {label};
sub.u64 %ps_h,%ps_k,%ps_i; cvt.u32.u64 %ps_e,%ps_h;"""
"""Clocks %ps_k and %ps_j right after the global timer ticked in a CTA's first warp, which takes up to 32 ns; %ps_e
cycles between which it was read."""


_PLACE = f"""{_WHO}
.reg .b64 %ps_first,%ps_z;
mov.u32 %ps_below,%lanemask_lt;
ld.const.u32 %ps_e,{control("last")}; add.u32 %ps_e,%ps_e,16; cvt.u64.u32 %ps_z,%ps_e;
ld.const.u64 %ps_first,{control("streams")};
add.u64 %ps_first,%ps_first,%ps_x; add.u64 %ps_first,%ps_first,%ps_z; sub.u64 %ps_first,%ps_first,1;
neg.s64 %ps_y,%ps_z; and.b64 %ps_first,%ps_first,%ps_y;
ld.const.u32 %ps_m,{control("lanes")}; popc.b32 %ps_f,%ps_m; mul.lo.u32 %ps_g,%ps_row,%ps_f;
mov.u32 %ps_n,%lanemask_eq; and.b32 %ps_n,%ps_n,%ps_m; setp.ne.and.u32 %ps_q,%ps_n,0,%ps_s;
and.b32 %ps_m,%ps_m,%ps_below; popc.b32 %ps_m,%ps_m; add.u32 %ps_g,%ps_g,%ps_m; add.u32 %ps_g,%ps_g,3;
selp.u32 %ps_f,0,1,%ps_s; selp.u32 %ps_g,%ps_g,%ps_f,%ps_q; mad.wide.u32 %ps_z,%ps_g,%ps_e,%ps_first;
@%ps_q sub.u64 %ps_z,%ps_z,16; mov.b64 {{%ps_low,%ps_high}},%ps_z;"""
"""The place of the lane's first record: the last row of its stream; of a shared one the first, as if it were full."""

_CELL = f"""ld.const.u32 %ps_t,{control("last")}; not.b32 %ps_t,%ps_t; and.b32 %ps_t,%ps_t,%ps_low;
mov.b64 %ps_x,{{%ps_t,%ps_high}};"""
SAVE = f"{_CELL} st.global.v2.u32 [%ps_x+8],{{%ps_low,%ps_high}};"
"""Before a call of a function that records, and as one returns: the place is kept in the stream's first row."""
RESTORE = f"{_CELL} ld.global.v2.u32 {{%ps_low,%ps_high}},[%ps_x+8];"
"""Behind such a call, and as such a function begins."""


def function_beginning() -> str:
    """What a function with sites does first, when it has been called."""
    return scratch(f"{_PLACE}\n{RESTORE}")


def beginning(parameter: str) -> str:
    """What a kernel does first. `parameter`: the entry's first; "": it has none."""
    parameters = f"mov.b64 %ps_h,{parameter}; cvta.param.u64 %ps_h,%ps_h;" if parameter else "mov.u64 %ps_h,0;"
    return f"""{{{_SCRATCH}{_PLACE}
sub.u64 %ps_first,%ps_first,%ps_x;{_ONE_LANE}
@!%ps_s bra ps_begun;{_HEADER_ADDRESS}
{_TICK.format(label="ps_tick_begin")}
st.global.v2.u64 [%ps_y+{_header("start_clock")}],{{%ps_k,%ps_j}};
add.u32 %ps_cta,%ps_cta,1; mov.u32 %ps_f,%cluster_ctarank; mov.u32 %ps_g,%cluster_nctaid.x;
shl.b32 %ps_g,%ps_g,8; or.b32 %ps_f,%ps_f,%ps_g; mov.u32 %ps_g,%cluster_nctaid.y; shl.b32 %ps_g,%ps_g,16;
or.b32 %ps_f,%ps_f,%ps_g; mov.u32 %ps_g,%cluster_nctaid.z; shl.b32 %ps_g,%ps_g,24; or.b32 %ps_f,%ps_f,%ps_g;
mov.u32 %ps_g,%smid; {parameters}
st.global.u64 [%ps_y+{_header("parameters")}],%ps_h; cvt.u32.u64 %ps_n,%ps_first;
st.global.u32 [%ps_y+{_header("first")}],%ps_n;
st.global.v4.u32 [%ps_y+{_header("cta")}],{{%ps_cta,%ps_f,%ps_g,%ps_e}};
ps_begun:
}}
"""


def leaving(number: int) -> str:
    """What a warp does before it leaves; of several lanes that leave at different times the last one's time stays."""
    return f"""{{{_SCRATCH}{_WHO}{_ONE_LANE}
@!%ps_s bra ps_left_{number};{_HEADER_ADDRESS}
{_TICK.format(label=f"ps_tick_{number}")}
st.global.v2.u64 [%ps_y+{_header("exit_clock")}],{{%ps_k,%ps_j}}; st.global.u32 [%ps_y+{_header("exit_spread")}],%ps_e;
ps_left_{number}:
}}
"""


def word(site: int, part: int = 0, lanes: int = 0) -> int:
    """The word of a record."""
    return site << (LANE_BITS + PART_BITS) | part << LANE_BITS | lanes


LOWEST = "activemask.b32 %ps_m; and.b32 %ps_m,%ps_m,%ps_below; setp.eq.u32 %ps_p,%ps_m,0;"
"""%ps_p: this is the lowest active lane."""

CLOCK = "mov.u32 %ps_c,%clock;"


def store(keep: Keep, predicate: str = "%ps_p") -> str:
    """A record of %ps_c, %ps_w, %ps_a and %ps_v, by lanes where `predicate` holds; "": by all that are active.

    A stream is full where the address is a multiple of its size; there stands what counts the others.
    """
    both = f",{predicate}" if predicate else ""
    combined = "setp.{0}.and.u32" if predicate else "setp.{0}.u32"
    full = f"ld.const.u32 %ps_t,{control('last')}; and.b32 %ps_n,%ps_t,%ps_low;"
    if keep is Keep.FIRST:
        return f"""{full}
{combined.format("ne")} %ps_q|%ps_r,%ps_n,0{both}; mov.b64 %ps_x,{{%ps_low,%ps_high}};
@%ps_q st.global.v4.u32 [%ps_x],{{%ps_c,%ps_w,%ps_a,%ps_v}};
@%ps_r red.global.add.u32 [%ps_x],1;
@%ps_q add.u32 %ps_low,%ps_low,-16;"""
    guard = f"@{predicate} " if predicate else ""
    return f"""{full}
{combined.format("eq")} %ps_r,%ps_n,0{both}; mov.b64 %ps_x,{{%ps_low,%ps_high}};
@%ps_r red.global.add.u32 [%ps_x],1;
@%ps_r add.u32 %ps_low,%ps_low,%ps_t; mov.b64 %ps_x,{{%ps_low,%ps_high}};
{guard}st.global.v4.u32 [%ps_x],{{%ps_c,%ps_w,%ps_a,%ps_v}};
{guard}add.u32 %ps_low,%ps_low,-16;"""
