"""A function's body, rewritten site by site."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

from visualizer.language import tr
from visualizer.recording.schema import EventKind
from visualizer.sources.attach.log_format import Keep
from visualizer.sources.attach.options import Level
from visualizer.sources.attach.ptx import emit
from visualizer.sources.attach.ptx.flatten import flattened
from visualizer.sources.attach.ptx.forms import FAMILY, Form, form_of, is_recorded
from visualizer.sources.attach.ptx.loops import Spin, jumps, spins
from visualizer.sources.attach.ptx.sequence import NotUnderstood, around_loop, sequence
from visualizer.sources.attach.ptx.sites import Dropped, Site
from visualizer.sources.attach.ptx.stacks import Stacks
from visualizer.sources.attach.ptx.statements import Instruction, Registers, Token, instruction, tokens
from visualizer.sources.attach.ptx.whole import whole_warps

_DECLARES = (".reg", ".local", ".shared", ".param", ".pragma", ".const", ".global", ".alias")
_MAY_BE = re.compile(
    r"phasescope\.|mbarrier|async|\bbar(?:rier)?\.|wgmma\.|tcgen05\.commit|clusterlaunch|setmaxnreg|\b(?:ret|exit|call)\b"
)
_DEFINITION = re.compile(r"^[ \t]*(?:@!?\S+\s+)?([a-z][\w.:]*)\s+([\w$%.]+)\s*,\s*([^;]*);", re.MULTILINE)
_CALLED = re.compile(r"\bcall(?:\.uni)?\s+(?:\([^)]*\)\s*,\s*)?([\w$%]+)")


@dataclass(frozen=True)
class Plan:
    """What is wanted of all bodies of one twin."""

    level: Level
    keep: Keep
    left_out: Collection[Form] = ()  # forms that would be recorded, and are not, for want of registers
    reaching: Collection[str] = ()  # functions that record, or call one that may
    anywhere: bool = False  # any of them does: so may what a pointer points to

    def reaches(self, callee: str) -> bool:
        """Whether a call may come to a site."""
        return callee in self.reaching or (self.anywhere and callee.startswith("%"))


@dataclass
class Found:
    """What has been found in all bodies so far."""

    sites: list[Site] = field(default_factory=list)
    dropped: list[Dropped] = field(default_factory=list)
    pools: list[int] = field(default_factory=list)  # registers that setmaxnreg asks for


def has_sites(text: str, begin: int, end: int, plan: Plan) -> bool:
    """Whether a function's body, text[begin:end], records anything."""
    for token in tokens(text, begin, end):
        if token.kind == "statement" and _MAY_BE.search(token.text):
            done = instruction(token.text)
            form = form_of(done.opcode) if done else None
            if form is not None and is_recorded(form, plan.level) and form not in plan.left_out:
                return True
    return False


def called(text: str) -> set[str]:
    """What a body calls: names of functions, and registers where it calls what a pointer points to."""
    return set(_CALLED.findall(text))


class Body:
    """Rewrites one body, text[begin:end] without its braces.

    `parameters`: of an entry, where they lie (parameters.py); None: this is no entry.
    """

    def __init__(
        self,
        text: str,
        begin: int,
        end: int,
        parameters: Mapping[str, int | None] | None,
        plan: Plan,
        found: Found,
        stacks: Stacks,
    ) -> None:
        self._text = text
        self._is_entry, self._parameters = parameters is not None, parameters or {}
        self._plan = plan
        self._found = found
        self._stacks = stacks
        self._registers = Registers()
        self._line, self._counted = 1, 0
        self._array = ""  # what the next mbarrier.init is called
        self._rounds: dict[int, int] = {}  # of one wait that is asked at several places: each place's first
        self._asked: dict[int, Site] = {}  # the site of such a wait, by its first place
        self._tokens = list(tokens(text, begin, end))
        self._tokens, self._forms = flattened(self._tokens, self._recorded_forms())
        self._jumps = jumps(self._tokens)
        self._whole = whole_warps(self._tokens, self._jumps)

    def rewrite(self) -> str:
        """The new body, without its braces."""
        waits = [place for place, form in self._forms.items() if form.how == "wait"]
        spinning = spins(self._tokens, self._jumps, list(self._forms), waits)
        flags = {}
        resets: dict[int, list[str]] = {}
        alone = {spin.head: wait for wait, spin in spinning.items() if spin.end >= 0}
        behind: dict[int, str] = {}  # what comes behind a token
        for number, (wait, spin) in enumerate(spinning.items()):
            if spin.head in alone:
                continue
            flag = f"%ps_f{number}"
            flags.update(dict.fromkeys((*spin.before, wait), flag))
            self._rounds.update(dict.fromkeys((*spin.before, wait), spin.begins))
            for place in (spin.begins, *spin.entries):
                resets.setdefault(place, []).append(f"setp.ne.u32 {flag},0,0;")
        keep = self._plan.keep
        declared = f".reg .pred {','.join(dict.fromkeys(flags.values()))};" if flags else ""
        begins = emit.function_beginning(keep)
        if self._is_entry:
            begins = emit.beginning(keep, next(iter(self._parameters), ""))
        out = [f"\n{emit.DECLARATIONS}{declared}\n"]
        begun = False
        for place, token in enumerate(self._tokens):
            if not begun and self._is_first(token):
                begun = True
                out.append(begins)
            out += resets.get(place, ())
            if place in alone:
                spin = spinning[alone[place]]
                before, behind[spin.end] = self._around(alone[place], spin)
                out.append(before)
            if token.kind == "loc":
                self._stacks.follow(token.text)
            elif token.kind == "open":
                self._registers.open()
                out.append("{\n")
            elif token.kind == "close":
                self._registers.close()
                out.append("}\n")
            elif token.kind == "label":
                out.append(f"{token.text}:\n")
            else:
                self._registers.declare(token.text)
                out.append(self._statement(place, token, flags.get(place, "")) + "\n")
            out.append(behind.get(place, ""))
        return "".join(out)

    @staticmethod
    def _is_first(token: Token) -> bool:
        """Whether the function begins to act here."""
        return token.kind in ("label", "open") or (token.kind == "statement" and not token.text.startswith(_DECLARES))

    def _recorded_forms(self) -> dict[int, Form]:
        """The form of every token that records, by place."""
        forms = {}
        for place, token in enumerate(self._tokens):
            if token.kind == "statement" and _MAY_BE.search(token.text):
                done = instruction(token.text)
                form = form_of(done.opcode) if done else None
                if form is not None and is_recorded(form, self._plan.level) and form not in self._plan.left_out:
                    forms[place] = form
        return forms

    def _statement(self, place: int, token: Token, flag: str) -> str:
        text = token.text
        done = instruction(text) if _MAY_BE.search(text) else None
        if done is None:
            return text
        word = done.opcode.partition(".")[0]
        if word == "setmaxnreg":
            self._found.pools.append(int(done.operands[0]))
        if place in self._forms:
            return self._site(place, token, done, flag)
        form = form_of(done.opcode)
        if form is not None and form.marks:
            self._array = done.operands[0]
            return ""
        if word == "exit" or (word == "ret" and self._is_entry):
            return _unless(done, token, emit.leaving(self._plan.keep))
        if word == "ret":
            return _unless(done, token, emit.save(self._plan.keep, "function"))
        if word == "call" and any(map(self._plan.reaches, called(text))):
            return emit.save(self._plan.keep) + text + "\n" + emit.restore(self._plan.keep)
        if form is None and FAMILY.match(done.opcode):
            self._drop(done, token, tr("its form is not known"))
        elif form is not None and form in self._plan.left_out and is_recorded(form, self._plan.level):
            self._drop(done, token, tr("registers were short"))
        return text

    def _around(self, wait: int, spin: Spin) -> tuple[str, str]:
        """What comes before and behind a loop that does nothing but wait; the loop is left as it is."""
        form, token = self._forms.pop(wait), self._tokens[wait]
        for other in self._tokens[spin.head : wait]:
            if other.kind == "loc":
                self._stacks.follow(other.text)
        done = instruction(token.text)
        assert done is not None
        site = self._new_site(form, done, token, True)
        try:
            written = around_loop(site, done, self._registers, self._plan.keep, spin.end in self._whole)
        except NotUnderstood as problem:
            self._drop(done, token, tr("its operand {operand} is not understood", operand=str(problem)))
            return "", ""
        self._found.sites.append(site)
        return written

    def _site(self, place: int, token: Token, done: Instruction, flag: str) -> str:
        form = self._forms[place]
        known = self._asked.get(self._rounds.get(place, place))
        site = replace(known, operands=done.operands) if known else self._new_site(form, done, token, bool(flag))
        if site.array:
            self._array = ""
        try:
            written = sequence(site, done, token.text, self._registers, self._plan.keep, flag, place in self._whole)
        except NotUnderstood as problem:
            self._drop(done, token, tr("its operand {operand} is not understood", operand=str(problem)))
            return "" if form.marks else token.text
        if known is None:
            self._found.sites.append(site)
        if place in self._rounds:
            self._asked[self._rounds[place]] = site
        return written

    def _new_site(self, form: Form, done: Instruction, token: Token, spins: bool) -> Site:
        return Site(
            len(self._found.sites) + 1,
            form,
            done.opcode,
            done.operands,
            f"@{'!' if done.negated else ''}{done.guard}" if done.guard else "",
            self._line_of(token),
            self._stacks.here(),
            spins,
            self._tensor_map(form, done),
            self._array if EventKind.INIT in form.kinds else "",
        )

    def _drop(self, done: Instruction, token: Token, reason: str) -> None:
        self._found.dropped.append(Dropped(done.opcode, self._line_of(token), reason))

    def _line_of(self, token: Token) -> int:
        self._line += self._text.count("\n", self._counted, token.begin)
        self._counted = token.begin
        return self._line

    def _tensor_map(self, form: Form, done: Instruction) -> int | None:
        """Where among the parameters the tensor map of a copy lies, if that can be told from the text."""
        if form.name != "cp.async.bulk.tensor" or len(done.operands) < 2:
            return None
        base = re.match(r"\[\s*([\w$%.]+)\s*,", done.operands[1])
        return self._offset_of(base[1]) if base else None

    @cached_property
    def _definitions(self) -> dict[str, list[tuple[str, str]]]:
        """Opcode and sources of what gives each register its value; found once, for kernels have hundreds of copies."""
        found: dict[str, list[tuple[str, str]]] = {}
        for opcode, name, sources in _DEFINITION.findall(self._text):
            found.setdefault(name, []).append((opcode, sources))
        return found

    def _offset_of(self, name: str) -> int | None:
        """Bytes from the first parameter to what a register points to."""
        offset = 0
        for _ in range(8):
            if not name.startswith("%"):
                begins = self._parameters.get(name)
                return None if begins is None else begins + offset
            defined = self._definitions.get(name, ())
            if len(defined) != 1:
                return None
            opcode, sources = defined[0]
            parts = [part.strip() for part in sources.split(",")]
            if opcode.startswith("add.") and len(parts) == 2 and parts[1].isdigit():
                offset += int(parts[1])
            elif not opcode.startswith(("mov.", "cvta.param.", "cvt.u64.u32")) or len(parts) != 1:
                return None
            name = parts[0]
        return None


def _unless(done: Instruction, token: Token, first: str) -> str:
    """An instruction with something to do before it, where it is done."""
    if not done.guard:
        return first + token.text
    skip = f"ps_stay_{token.begin}"
    bare = token.text[token.text.index(done.opcode) :]
    return f"{{\n@{'' if done.negated else '!'}{done.guard} bra {skip};\n{first}{bare}\n{skip}:\n}}"
