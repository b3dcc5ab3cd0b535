"""What stands around one site: its operands as numbers, who records it, the record itself."""

from __future__ import annotations

from visualizer.sources.attach.log_format import PARITY_BIT, Keep
from visualizer.sources.attach.ptx import emit
from visualizer.sources.attach.ptx.sites import Site
from visualizer.sources.attach.ptx.statements import Instruction, Registers, address, is_number, number

PASSED, OTHER = 0, 1
"""Parts of a wait: it passed, or did not. Of what is recorded before and behind: behind, before."""
_WIDER_SCOPES = (".cluster", ".gpu", ".sys")
MASK_SHIFT = 16
DESTINATION_MASK = 0xFFFFF
DESTINATION_SHIFT = 4
"""A multicast tensor copy's value: which CTAs << MASK_SHIFT | the destination's offset >> DESTINATION_SHIFT, which is a
multiple of 128 [PTX]."""


class NotUnderstood(Exception):
    """An operand is not what its form has there; the message is the operand."""


def sequence(site: Site, done: Instruction, text: str, registers: Registers, keep: Keep, flag: str, whole: bool) -> str:
    """The site's instruction, `text`, and what records it. `flag`: of a wait that spins, a predicate that tells whether
    a failure was recorded already; "": every failure is. `whole`: lane 0 is there."""
    make = {"wait": _wait, "each": _each, "group": _group, "warp": _warp, "around": _around}[site.form.how]
    return make(_Operands(site, done, registers, whole), text, keep, flag)


def around_loop(site: Site, done: Instruction, registers: Registers, keep: Keep, whole: bool) -> tuple[str, str]:
    """What comes before a loop that does nothing but wait, and what comes behind it. `whole`: lane 0 is there then.

    The first try is made before the loop, and whoever passes it goes on as the original does: one test, one branch, and
    all of the record but two clocks is among what comes next, where ptxas finds room for it (docs/attach.md, "What was
    tried"). That try has no time limit: with one, ptxas puts a sleep and a second test in the way of all.
    """
    operands = _Operands(site, done, registers, whole)
    passed, barrier, phase = operands[0], operands[1], operands[2]

    before = f"""{emit.SCRATCH}mov.u32 %ps_d,%clock;
{site.opcode} {passed},{barrier},{phase};
@{passed} bra ps_passed;
{emit.CLOCK} {emit.LOWEST} {_told(operands, OTHER)} mov.u32 %ps_v,%ps_d;
{emit.store(keep)}
"""
    behind = f"""ps_passed:
{emit.CLOCK} {operands.chosen} {_told(operands, PASSED)} mov.u32 %ps_v,%ps_d;
{emit.store(keep, operands.who)}
}}
"""
    return before, behind


def _told(operands: _Operands, part: int) -> str:
    """%ps_a and %ps_w: a wait's barrier; its site and parity, which may be one instruction. Takes %ps_v."""
    word = emit.word(operands.site.number, part)
    return f"{operands.address()} {operands.value()} shl.b32 %ps_w,%ps_v,{PARITY_BIT}; or.b32 %ps_w,%ps_w,{word};"


class _Operands:
    """A site's operands, brought into the registers of a record; its place, %ps_x, is none of them."""

    def __init__(self, site: Site, done: Instruction, registers: Registers, whole: bool) -> None:
        self.site = site
        self.who = emit.Who.LANE_0 if whole and not done.guard else emit.Who.CHOSEN  # records for the warp
        self.form = site.form
        self.done = done
        self._registers = registers

    def __getitem__(self, place: int) -> str:
        operands = self.site.operands
        if place >= len(operands):
            raise NotUnderstood(f"{place + 1}")
        return operands[place]

    @property
    def chosen(self) -> str:
        """%ps_p: this lane records for the warp."""
        return emit.LANE_0 if self.who is emit.Who.LANE_0 else emit.LOWEST

    @property
    def bare(self) -> str:
        """The guard, without its sign."""
        return self.done.guard

    def address(self) -> str:
        """%ps_a: the mbarrier, or the number of a barrier that has one."""
        if self.form.barrier is not None:
            return self._address(self[self.form.barrier], "%ps_a")
        if self.form.name_operand is not None:
            return self._number(self[self.form.name_operand], "%ps_a")
        return "mov.u32 %ps_a,0;"

    def value(self) -> str:
        """%ps_v: what the form says."""
        form, given = self.form, self.site.operands
        if form.destination is not None:
            value = self._address(self[form.destination], "%ps_v")
            if not self.site.is_multicast:
                return value
            return (
                f"{value} and.b32 %ps_v,%ps_v,{DESTINATION_MASK}; shr.u32 %ps_v,%ps_v,{DESTINATION_SHIFT};"
                f"{self._mask('%ps_d')} shl.b32 %ps_d,%ps_d,{MASK_SHIFT}; or.b32 %ps_v,%ps_v,%ps_d;"
            )
        if form.value is None or form.fixed or form.value >= len(given):
            return f"mov.u32 %ps_v,{self._default()};"
        if form.how == "wait" and ".parity" not in self.site.opcode:
            return f"shr.u64 %ps_y,{given[form.value]},63; cvt.u32.u64 %ps_v,%ps_y;"
        return self._number(given[form.value], "%ps_v")

    def more(self) -> str:
        """%ps_a and %ps_v of a second part; "": there is none. Tensor map and mask; or 0 and mask."""
        tensor = self.form.destination is not None
        if tensor and self.site.tensor_map is None:
            base = self[1].lstrip("[ ").partition(",")[0].strip()
            return f"{self._number(base, '%ps_a')} mov.u32 %ps_v,0;"
        if self.form.mask and self.site.is_multicast and not tensor:
            return f"mov.u32 %ps_a,0; {self._mask('%ps_v')}"
        return ""

    def _default(self) -> int:
        """Of asynchronous stores the bytes, which their type says."""
        if self.form.name != "st.async":
            return self.form.default
        words = self.site.opcode.split(".")
        several = next((int(word[1]) for word in words if word in ("v2", "v4")), 1)
        return several * int(words[-1][1:]) // 8

    def _mask(self, register: str) -> str:
        """Behind the barrier, and behind the offsets of im2col, comes the mask of CTAs; behind it a cache policy."""
        assert self.form.barrier is not None
        rest = self.site.operands[self.form.barrier + 1 :]
        rest = tuple(operand for operand in rest if not operand.startswith("{"))
        if not rest:
            raise NotUnderstood("ctaMask")
        return self._number(rest[0], register)

    def _address(self, operand: str, register: str) -> str:
        found = address(operand)
        if found is None:
            raise NotUnderstood(operand)
        base, offset = found
        bits = self._registers.bits(base)
        if is_number(base):
            return f"mov.u32 {register},{number(base) + offset};"
        add = f" add.u32 {register},{register},{offset};" if offset else ""
        if bits == 64 and ".shared" not in self.site.opcode:
            return f"cvta.to.shared.u64 %ps_y,{base}; cvt.u32.u64 {register},%ps_y;{add}"
        if bits == 64:
            return f"cvt.u32.u64 {register},{base};{add}"
        if bits == 32 or (not bits and not base.startswith("%")):
            return f"mov.u32 {register},{base};{add}"
        raise NotUnderstood(operand)

    def _number(self, operand: str, register: str) -> str:
        bits = self._registers.bits(operand)
        if is_number(operand):
            return f"mov.u32 {register},{number(operand) & 0xFFFFFFFF};"
        if bits == 32:
            return f"mov.b32 {register},{operand};"
        if bits in (16, 64):
            return f"cvt.u32.u{bits} {register},{operand};"
        raise NotUnderstood(operand)


def _wait(operands: _Operands, text: str, keep: Keep, flag: str) -> str:
    site, passed = operands.site, operands[0]
    only_first = ""
    if flag:
        only_first = (
            f"not.pred %ps_s,{flag}; and.pred %ps_p,%ps_p,%ps_s; and.pred %ps_q,%ps_q,%ps_s; setp.eq.u32 {flag},0,0;"
        )

    def record(part: int, who: emit.Who) -> str:
        return f"{emit.CLOCK} {_told(operands, part)} mov.u32 %ps_v,%ps_d;\n{emit.put(who)}"

    # What the answer is not needed for is done while it is on its way. Each answer has a record of its own behind a
    # branch, which keeps it where the warp waits: one for both sinks to where the kernel works, and takes registers
    # from what it does there (docs/attach.md, "What was tried").
    body = f"""mov.u32 %ps_d,%clock;
{text[text.index(site.opcode) :]}
{operands.chosen}
{emit.place(keep, operands.who)}
@{passed} bra ps_passed; {only_first}
{record(OTHER, emit.Who.CHOSEN if flag else operands.who)}
bra ps_answered;
ps_passed: {record(PASSED, operands.who)}
ps_answered:"""
    return _where_done(operands, body)


def _each(operands: _Operands, text: str, keep: Keep, flag: str) -> str:
    who = emit.Who.CHOSEN if operands.bare else emit.Who.ALL
    chosen = f"{_guard(operands)}\nmov.u32 %ps_w,{emit.word(operands.site.number, lanes=1)};"
    return _beside(operands, text, keep, chosen, who)


def _group(operands: _Operands, text: str, keep: Keep, flag: str) -> str:
    """Lanes that arrive on one barrier record it as one."""
    guard = _guard(operands)
    word = emit.word(operands.site.number)
    # Compared without a predicate, which would need a branch: a lane that does not arrive compares no address.
    compared = "%ps_n" if guard else "%ps_a"
    arrives = "setp.eq.and.u32 %ps_p,%ps_n,0,%ps_p;" if guard else "setp.eq.u32 %ps_p,%ps_n,0;"
    nowhere = "selp.b32 %ps_n,%ps_a,-1,%ps_p;" if guard else ""
    chosen = f"""{guard} {nowhere} activemask.b32 %ps_m; match.any.sync.b32 %ps_m,{compared},%ps_m;
and.b32 %ps_n,%ps_m,%ps_below; {arrives}"""
    chosen += f" popc.b32 %ps_m,%ps_m; or.b32 %ps_w,%ps_m,{word};"
    return _beside(operands, text, keep, chosen, emit.Who.CHOSEN)


def _warp(operands: _Operands, text: str, keep: Keep, flag: str) -> str:
    bare = "" if operands.form.marks else text[text.index(operands.site.opcode) :]
    chosen = f"{operands.chosen} mov.u32 %ps_w,{emit.word(operands.site.number)};"
    record = emit.store(keep, operands.who)
    body = f"{emit.CLOCK} {operands.address()} {operands.value()}\n{chosen}\n{record}\n{bare}"
    return _where_done(operands, body)


def _around(operands: _Operands, text: str, keep: Keep, flag: str) -> str:
    bare = text[text.index(operands.site.opcode) :]
    number = operands.site.number
    body = f"""{emit.CLOCK} {operands.address()} {operands.value()}
{operands.chosen} mov.u32 %ps_w,{emit.word(number, OTHER)};
{emit.store(keep, operands.who)}
{bare}
{emit.CLOCK} {operands.chosen} mov.u32 %ps_w,{emit.word(number, PASSED)};
{emit.store(keep, operands.who)}"""
    return _where_done(operands, body)


def _beside(operands: _Operands, text: str, keep: Keep, chosen: str, who: emit.Who) -> str:
    """A record of what is known before the instruction. All else comes behind one that others wait for, and behind one
    that would wait for earlier stores to be seen."""
    record = emit.store(keep, who)
    more = operands.more()
    if more:
        lanes = emit.word(operands.site.number, OTHER, 1)
        record += f"\n{more} mov.u32 %ps_w,{lanes};\n{emit.store(keep, who)}"
    known = f"{emit.CLOCK} {operands.address()} {operands.value()}"
    scopes = operands.site.opcode.split(".shared")[0]
    late = operands.form.how == "group" or (operands.form.scoped and any(scope in scopes for scope in _WIDER_SCOPES))
    return emit.scratch(f"{known}\n{text}\n{chosen}\n{record}" if late else f"{known}\n{chosen}\n{record}\n{text}")


def _guard(operands: _Operands) -> str:
    """%ps_p: the guard holds; "": there is none."""
    if not operands.bare:
        return ""
    return f"{'not' if operands.done.negated else 'mov'}.pred %ps_p,{operands.bare};"


def _where_done(operands: _Operands, body: str) -> str:
    """What a warp does as one, by those lanes that the guard lets do it."""
    done = operands.done
    if not done.guard:
        return emit.scratch(body)
    skip = f"ps_past_{operands.site.number}"
    return emit.scratch(f"@{'' if done.negated else '!'}{done.guard} bra {skip};\n{body}\n{skip}:")
