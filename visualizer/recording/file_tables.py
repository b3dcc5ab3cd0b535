"""meta.json of a recording file: the tables as JSON and back, every key's type checked.

Recordings come from strangers too, so nothing is taken for granted; each error names the key. docs/trace-format.md
lists the keys.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Callable
from dataclasses import asdict, dataclass, fields
from types import UnionType
from typing import Annotated, Any, NoReturn, TypeVar, Union, get_args, get_origin, get_type_hints, is_typeddict

from visualizer.language import tr
from visualizer.recording.facts import MOST, OBJECTS
from visualizer.recording.quoting import shortened
from visualizer.recording.tables import Agent, AgentRole, Barrier, BarrierKind, Ending, EndingKind, Frame, Meta, Site
from visualizer.recording.trace import ONE_RING, Trace, TraceError
from visualizer.semantics.pipeline_state import PipelineState

FORMAT_NAME = "phasescope-trace"
FORMAT_VERSION = 3
"""Goes up when a reader of the version before could misread a file; new keys alone do not raise it."""

T = TypeVar("T")

_MAX_INT = 2**31 - 1  # the tables end in int32 columns
_MAX_CTA = 2**20 - 1
_MAX_STAGE = 2**15 - 1  # int16 in the events


_LATER_OBJECTS = ("window", "cost")  # which the first recordings did not have


@dataclass(frozen=True, slots=True)
class Tables:
    """Everything of a Trace but its events."""

    meta: Meta
    agents: tuple[Agent, ...]
    barriers: tuple[Barrier, ...]
    sites: tuple[Site, ...]
    source_files: dict[str, str]
    rings: tuple[str, ...]


def encode_tables(trace: Trace) -> bytes:
    """meta.json of `trace`, UTF-8. Raises TraceError if meta holds a value that JSON has no word for.

    What is not Unicode text (a file name's undecodable bytes in `command`) becomes "?" rather than lose the run.
    """
    document = {
        "format": FORMAT_NAME,
        "version": FORMAT_VERSION,
        "meta": asdict(trace.meta),
        "agents": [_agent_object(agent) for agent in trace.agents],
        "barriers": [_flat_object(barrier) for barrier in trace.barriers],
        "sites": [asdict(site) for site in trace.sites],
        "rings": list(trace.rings),
        "source_files": dict(trace.source_files),
    }
    try:
        text = json.dumps(document, ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise TraceError(tr("meta holds a value that JSON cannot: {error}", error=error)) from None
    return text.encode("utf-8", "replace")


def decode_tables(raw: bytes) -> Tables:
    """The tables in `raw`, the bytes of meta.json. Raises TraceError, which names the key, if it breaks a rule."""
    root = _Node(_parse(raw), "")
    if not isinstance(root.value, dict) or root.value.get("format") != FORMAT_NAME:
        raise TraceError(
            tr(
                'meta.json does not say "format": "{format_name}": this is not a phasescope recording',
                format_name=FORMAT_NAME,
            )
        )
    version = root.get("version").integer(1, _MAX_INT)
    if version > FORMAT_VERSION:
        raise TraceError(
            tr(
                "the recording has format version {version} and this phasescope reads up to"
                " {format_version}: update phasescope to open it",
                version=version,
                format_version=FORMAT_VERSION,
            )
        )
    return Tables(
        meta=_meta(root.get("meta")),
        agents=root.get("agents").rows(_agent),
        barriers=root.get("barriers").rows(_barrier),
        sites=root.get("sites").rows(_site),
        source_files=root.get("source_files").texts(),
        rings=root.optional("rings", list(ONE_RING)).rows(_Node.text),
    )


@dataclass(frozen=True, slots=True)
class _Node:
    """A JSON value and the key it stands at, so that an error can say where."""

    value: Any
    key: str

    def wrong(self, expected: str) -> NoReturn:
        raise TraceError(
            tr(
                "{key} in meta.json is {shown}; it must be {expected}",
                key=self.key or tr("the top"),
                shown=shortened(json.dumps(self.value)),
                expected=expected,
            )
        )

    def get(self, name: str) -> _Node:
        key = f"{self.key}.{name}" if self.key else name
        values = self.object()
        if name not in values:
            raise TraceError(tr("meta.json has no {key}", key=key))
        return _Node(values[name], key)

    def optional(self, name: str, default: Any) -> _Node:
        """A key that recordings of earlier phasescopes do not have."""
        return self.get(name) if name in self.object() else _Node(default, name)

    def object(self) -> dict[str, Any]:
        return self.value if isinstance(self.value, dict) else self.wrong(tr("an object"))

    def text(self) -> str:
        return self.value if isinstance(self.value, str) else self.wrong(tr("text"))

    def word(self, words: Any) -> Any:
        """One of the strings of the Literal `words`."""
        known = get_args(words)
        return self.value if self.value in known else self.wrong(tr("one of {names}", names=", ".join(known)))

    def integer(self, low: int, high: int) -> int:
        value = self.value
        if isinstance(value, int) and not isinstance(value, bool) and low <= value <= high:
            return value
        return self.wrong(tr("a whole number in {low}..{high}", low=low, high=high))

    def number(self, low: float, high: float) -> float:
        value = self.value
        if isinstance(value, int | float) and not isinstance(value, bool) and low <= value <= high:
            return value
        return self.wrong(tr("a number in {low}..{high}", low=low, high=high))

    def typed(self, kind: Any) -> Any:
        """The value, if it has a type of those in facts.py."""
        if is_typeddict(kind):
            known = get_type_hints(kind, include_extras=True)
            for name in known.keys() & self.object():
                self.get(name).typed(known[name])
        elif get_origin(kind) is Annotated:
            base, (low, high) = get_args(kind)
            self.integer(low, high) if base is int else self.number(low, high)
        elif get_origin(kind) in (Union, UnionType):  # of a type with None; Annotated makes the former
            if self.value is not None:
                self.typed(get_args(kind)[0])
        elif get_origin(kind) is dict:
            for node in self.nodes().values():
                node.typed(get_args(kind)[1])
        elif get_origin(kind) is list:
            self.rows(lambda node: node.typed(get_args(kind)[0]))
        elif kind is bool:
            if not isinstance(self.value, bool):
                self.wrong(tr("true or false"))
        else:
            self.text()
        return self.value

    def nodes(self) -> dict[str, _Node]:
        """The values of an object by key."""
        return {name: _Node(value, f"{self.key}[{name!r}]") for name, value in self.object().items()}

    def texts(self) -> dict[str, str]:
        return {name: node.text() for name, node in self.nodes().items()}

    def rows(self, row: Callable[[_Node], T]) -> tuple[T, ...]:
        if not isinstance(self.value, list):
            self.wrong(tr("an array"))
        return tuple(row(_Node(value, f"{self.key}[{index}]")) for index, value in enumerate(self.value))


def _meta(node: _Node) -> Meta:
    ending = node.get("ending")
    facts = {
        name: (node.optional(name, {}) if name in _LATER_OBJECTS else node.get(name)).typed(kind)
        for name, kind in OBJECTS.items()
    }
    return Meta(
        program=node.get("program").text(),
        ending=Ending(ending.get("kind").word(EndingKind), ending.get("detail").text()),
        command=node.get("command").text(),
        created=node.get("created").text(),
        records_lost=node.get("records_lost").integer(0, MOST),
        events_dropped=node.get("events_dropped").integer(0, MOST),
        versions=node.get("versions").texts(),
        **facts,
    )


def _agent_object(agent: Agent) -> dict[str, Any]:
    start = None if agent.start is None else _flat_object(agent.start)
    more_starts = {ring: _flat_object(cursor) for ring, cursor in agent.more_starts}
    return {**_flat_object(agent), "start": start, "more_starts": more_starts}


def _flat_object(row: Agent | Barrier | PipelineState) -> dict[str, Any]:
    """A row as it is. (`asdict` copies all its values, which of thousands of barriers takes longer than their JSON.)"""
    return {field.name: getattr(row, field.name) for field in fields(row)}


def _agent(node: _Node) -> Agent:
    start = node.get("start")
    return Agent(
        name=node.get("name").text(),
        role=node.get("role").word(AgentRole),
        cta=node.get("cta").integer(0, _MAX_CTA),
        warp=node.get("warp").integer(-1, _MAX_INT),
        start=None if start.value is None else _cursor(start),
        more_starts=tuple((ring, _cursor(at)) for ring, at in node.optional("more_starts", {}).nodes().items()),
        warpgroup=node.optional("warpgroup", -1).integer(-1, _MAX_INT),
    )


def _cursor(node: _Node) -> PipelineState:
    stages = node.get("stages").integer(1, _MAX_STAGE + 1)
    return PipelineState(
        stages=stages,
        index=node.get("index").integer(0, stages - 1),
        phase=node.get("phase").integer(0, 1),
        count=node.get("count").integer(0, _MAX_INT),
    )


def _barrier(node: _Node) -> Barrier:
    return Barrier(
        name=node.get("name").text(),
        cta=node.get("cta").integer(0, _MAX_CTA),
        kind=node.get("kind").word(BarrierKind),
        stage=node.get("stage").integer(-1, _MAX_STAGE),
        init_count=node.get("init_count").integer(0, _MAX_INT),
        offset=node.get("offset").integer(-1, _MAX_INT),
        first_phase=node.optional("first_phase", 0).integer(0, _MAX_INT),
        ring=node.optional("ring", "").text(),
        address=node.optional("address", -1).integer(-1, _MAX_INT),
    )


def _site(node: _Node) -> Site:
    return Site(
        file=node.get("file").text(),
        line=node.get("line").integer(1, _MAX_INT),
        op=node.get("op").text(),
        stack=node.optional("stack", []).rows(_frame),
    )


def _frame(node: _Node) -> Frame:
    return Frame(node.get("file").text(), node.get("line").integer(1, _MAX_INT), node.get("function").text())


def _parse(raw: bytes) -> Any:
    """Strict JSON: UTF-8, finite numbers, no key twice, no half of a surrogate pair."""
    try:
        text = raw.decode("utf-8")
        document = json.loads(text, object_pairs_hook=_unique, parse_constant=_not_finite, parse_float=_finite)
        if "\\u" in text:
            json.dumps(document, ensure_ascii=False).encode("utf-8")
    except RecursionError:
        raise TraceError(tr("meta.json is nested too deeply")) from None
    except UnicodeError:
        raise TraceError(tr("meta.json is not UTF-8 text")) from None
    except TraceError:
        raise
    except ValueError as error:
        raise TraceError(tr("meta.json is not JSON: {error}", error=error)) from None
    return document


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    values = dict(pairs)
    if len(values) != len(pairs):
        twice = Counter(name for name, _ in pairs).most_common(1)[0][0]
        raise TraceError(tr("meta.json has the key {twice!r} twice in one object", twice=twice))
    return values


def _finite(digits: str) -> float:
    value = float(digits)
    return value if math.isfinite(value) else _not_finite(digits)


def _not_finite(word: str) -> NoReturn:
    raise TraceError(tr("meta.json holds the number {word}, which is not finite", word=word))
