"""What attach reads of a program that it watches: the PTX in what it loads, and the memory that its kernels left, into
which a kernel that goes astray may have written anything. The lesson's kernel leaves such a log, too."""

from __future__ import annotations

import re
import struct
from dataclasses import fields, replace
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tests.fuzz import nasty, seeds
from tests.fuzz.asking import Asked, ask_everything
from tests.fuzz.outcome import Outcome
from tests.fuzz.refusals import REFUSALS, check_words, refused_in_words
from tests.sources.attach.ptx_files import CORPUS
from tests.sources.attach.ptx_files import ptx as corpus
from tests.sources.attach.ptx_images import cubin, entry, fat_binary
from tests.sources.attach.written_log import WrittenLog, site, wait
from visualizer.programs.parameters import LessonConfig
from visualizer.recording.file import load, save
from visualizer.recording.tables import Ending, Meta
from visualizer.recording.trace import Trace
from visualizer.replay.history import History
from visualizer.sources.attach.decode import trace_of
from visualizer.sources.attach.log_format import Keep, read_log
from visualizer.sources.attach.ptx.module import Module
from visualizer.sources.attach.ptx.twin import instrument
from visualizer.sources.attach.ptx_image import NoPtx, holds, module_of, modules
from visualizer.sources.attach.recorded_launch import TensorMap
from visualizer.sources.lesson.job import Outcome as Run
from visualizer.sources.lesson.launcher import trace_of_log
from visualizer.sources.lesson.options import GpuOptions
from visualizer.sources.lesson.raw_log import RawLog

_ENTRY = re.compile(r"\.entry\s+([\w$]+)")
_TOKEN = re.compile(r"\s+|[\w.$%@]+|.")
_MOST_TEXT = 1 << 20
_PUT_IN = (
    "{", "}", "(", ")", "[", "]", ";", ",", "@%p1", "@!%p1 bra again;", "again:", "bra again;", "ret;", "exit;", "\n",
    "mbarrier.try_wait.parity.shared::cta.b64 %p1, [%r1], %r2;", "mbarrier.arrive.shared::cta.b64 _, [%r1+8];",
    "call (%r1), step, (%r2);", ".loc 1 7 0, function_name $L, inlined_at 1 3 0", '.file 1 "/dev/zero"', "//", "/*",
    ".reg .b32 %r<999999999>;", ".visible .entry plain()", ".func f()", ".target sm_100a", ".version 99.9", '"',
)  # fmt: skip


def program_text(seed: int, folder: Path, outcome: Outcome) -> None:
    """PTX that is damaged, or its image: found, taken apart, made a twin of that records."""
    random = Random(seed)
    text = corpus(random.choice(sorted(path.stem for path in CORPUS.glob("*.ptx"))))
    name = random.choice(_ENTRY.findall(text))
    for _ in range(random.choice((0, 1, 1, 2, 5, 20))):
        way = random.choice((_token, _token, _line, _put_in, _number, _torn))
        outcome.ways = (*outcome.ways, way.__name__)
        text = way(text, random)[:_MOST_TEXT]
    image = random.choice((_as_text, _as_text, _as_fat_binary, _as_cubin))(text, random)
    if random.random() < 0.3:
        image = _some_bytes(image, random)
        outcome.ways = (*outcome.ways, "bytes")
    try:
        holds(image, image[72:])
        module = module_of(modules(image), name, 90)
    except NoPtx as problem:
        outcome.refused = str(problem)
        return
    except REFUSALS as problem:
        check_words(str(problem))
        outcome.refused = str(problem)
        return
    outcome.reached.append("found")
    assert module.bare
    with refused_in_words(outcome):
        keep = random.choice(tuple(Keep))
        twin = instrument(module.text, name, random.choice(("waits", "barriers", "all")), keep)
        outcome.reached.append("twin")
        Module(twin.ptx).entry(name)
        outcome.reached.append("twin read again")


def _token(text: str, random: Random) -> str:
    """A word dropped, doubled, or another one in its place."""
    words = _TOKEN.findall(text) or [""]
    at, other = random.randrange(len(words)), random.choice(words)
    words[at] = random.choice(("", words[at] * 2, other, nasty.text(random)[:30]))
    return "".join(words)


def _line(text: str, random: Random) -> str:
    """Lines dropped, in another's place, or again and again."""
    lines = text.split("\n")
    at, other = random.randrange(len(lines)), random.randrange(len(lines))
    some = lines[at : at + random.choice((1, 1, 3))]
    way = random.randrange(4)
    if way == 0:
        del lines[at : at + len(some)]
    elif way == 1:
        lines[other:other] = some
    elif way == 2:
        lines[at], lines[other] = lines[other], lines[at]
    else:
        lines[at:at] = some * 300
    return "\n".join(lines)


def _put_in(text: str, random: Random) -> str:
    at = random.randrange(len(text) + 1)
    return text[:at] + random.choice(_PUT_IN) * random.choice((1, 1, 1, 3, 2000)) + text[at:]


def _number(text: str, random: Random) -> str:
    found = list(re.finditer(r"\d+", text))
    if not found:
        return text
    at = random.choice(found)
    return text[: at.start()] + str(random.choice((0, 1, nasty.integer(random), "9" * 5000))) + text[at.end() :]


def _torn(text: str, random: Random) -> str:
    at = random.randrange(len(text) + 1)
    return text[:at] + random.choice(("", text[at + random.randint(1, 40) :]))


def _as_text(text: str, random: Random) -> bytes:
    return text.encode("utf-8", "replace")


def _as_cubin(text: str, random: Random) -> bytes:
    return cubin(text)


def _as_fat_binary(text: str, random: Random) -> bytes:
    content = entry(1, text.encode("utf-8", "replace"), random.choice(("", *_methods())))
    return fat_binary(*random.choice(((content,), (entry(2, cubin(text)), content), (content, entry(7, b"x" * 80)))))


@cache
def _methods() -> tuple[str, ...]:
    """Of packing that can be unpacked here."""
    found = []
    for method, package in (("lz4", "lz4.block"), ("zstd", "zstandard")):
        try:
            __import__(package)
        except ImportError:
            continue
        found.append(method)
    return tuple(found)


def _some_bytes(image: bytes, random: Random) -> bytes:
    """A few bytes changed, most of them in headers; or the end missing."""
    changed = bytearray(image)
    for _ in range(random.choice((1, 1, 3, 30))):
        if changed:
            changed[random.randrange(random.choice((min(len(changed), 100), len(changed))))] = random.randrange(256)
    if len(changed) > 8 and random.random() < 0.3:
        at = random.choice((4, 8, 16, 0x28, 0x3A, random.randrange(len(changed) - 8)))
        if at + 8 <= len(changed):
            struct.pack_into("<Q", changed, at, nasty.integer(random) & 0xFFFF_FFFF_FFFF_FFFF)
    return bytes(changed[: random.randrange(len(changed) + 1)]) if random.random() < 0.2 else bytes(changed)


_SITES = [
    site(1, "mbarrier.init"),
    site(2, "mbarrier.try_wait", "mbarrier.try_wait.parity.shared::cta.b64", spins=True),
    site(3, "mbarrier.arrive"),
    site(4, "mbarrier.arrive.expect_tx"),
    site(5, "cp.async.bulk.tensor", "cp.async.bulk.tensor.2d.shared::cluster.global", tensor_map=128),
    site(6, "mbarrier.test_wait", "mbarrier.test_wait.parity.shared::cta.b64"),
    site(7, "barrier.cluster.arrive"),
    site(8, "wgmma.commit_group"),
    site(9, "mbarrier.inval"),
    site(10, "bar.arrive"),
]
_FULL, _EMPTY, _STAGES = 0x400, 0x500, 2


def memory(seed: int, folder: Path, outcome: Outcome) -> None:
    """A log in a GPU's memory with anything written over some of it: made a recording, kept, and asked everything."""
    random = Random(seed)
    make = random.choice((_of_attach, _of_attach, _of_lesson))
    outcome.ways = (make.__name__,)
    try:
        trace = make(random)
    except REFUSALS as error:
        check_words(str(error))
        outcome.refused = str(error)
        return
    outcome.reached.append("decoded")
    path = folder / "run.pscope"
    save(trace, path)
    trace = load(path)
    outcome.reached.append("kept")
    ask_everything(Asked(trace, History(trace), path, folder, random, thorough=seed % 10 == 0), outcome)


def _of_attach(random: Random) -> Trace:
    ctas, keep = random.choice((1, 1, 2)), random.choice((Keep.FIRST, Keep.FIRST, Keep.LAST))
    written = WrittenLog(
        ctas, 2, lanes=random.choice(((0,), (0, 8))), room=random.choice((8, 30, 64)), keep=keep,
        cluster=(random.choice((1, ctas)), 1, 1),
    )  # fmt: skip
    room = written.layout.records
    for cta in range(ctas):
        for warp, records in enumerate(_pipeline(random.randint(1, 9))):
            kept = records if keep is Keep.LAST else records[:room]
            written.write(kept, cta, warp, made=random.choice((len(records), 0)))
    if random.random() < 0.7:
        written.leave()
    layout = written.layout
    parts = (
        written.content[: layout.counts_at],
        written.content[layout.counts_at : layout.streams_at],
        written.content[layout.streams_at :],
    )
    for _ in range(random.choice((0, 1, 1, 2, 4))):
        _write_over(random.choice(parts), random)
    maps = [TensorMap(128, random.choice((7, 0, 99)), random.choice(((8, 2), (), (2**32, 2**32))))]
    meta = Meta("kernel", {}, {"kind": "attach"}, Ending(random.choice(("completed", "crash", "timeout"))))
    return trace_of(read_log(layout, written.content), _SITES, "ptx\n" * 40, maps, meta)


def _pipeline(tiles: int) -> tuple[list[Any], list[Any]]:
    """Records of a warp that fills a ring, and of one that uses it."""
    producer = [(50 + at, 1, 0, 1, base + 8 * at, 1) for at in range(_STAGES) for base in (_FULL, _EMPTY)]
    consumer = []
    for tile in range(tiles):
        stage, turn, at = 8 * (tile % _STAGES), tile // _STAGES, 200 + 500 * tile
        producer += [wait(at, _EMPTY + stage, (turn + 1) & 1, 40), (at + 20, 4, 0, 64, _FULL + stage, 64)]
        producer += [(at + 40, 5, 0, 0, _FULL + stage, 0)]
        consumer += [wait(at + 300, _FULL + stage, turn & 1, 60), (at + 350, 3, 0, 1, _EMPTY + stage, 1)]
    return producer, consumer


def _of_lesson(random: Random) -> Trace:
    raw = _lesson_log()
    copies = {field.name: np.array(getattr(raw, field.name)) for field in fields(raw) if field.name != "level"}
    raw = replace(raw, **copies)
    for _ in range(random.choice((0, 1, 1, 2, 4))):
        of = random.choice((raw.records, raw.records, raw.attempted, raw.anchors, raw.status))
        _write_over(of.reshape(-1).view(np.uint8), random)
    ending = random.choice((None, Ending("crash", "an illegal memory access was encountered"), Ending("timeout")))
    return trace_of_log(LessonConfig(), GpuOptions(), raw, Run({"kind": "gpu", "gpu": "NVIDIA H200"}, {}), ending)


@cache
def _lesson_log() -> RawLog:
    return RawLog.load(seeds.TESTS / "data" / "lesson-h200.raw.npz")


def _write_over(content: NDArray[np.uint8], random: Random) -> None:
    """Some words of it: bounds, what stands elsewhere in it, zeros, or noise."""
    words = content[: len(content) // 4 * 4].view("<u4")
    if not len(words):
        return
    at = random.randrange(len(words))
    some = words[at : at + random.choice((1, 1, 2, 4, 16, 400))]
    way = random.randrange(5)
    if way == 0:
        some[:] = 0
    elif way == 1:
        some[:] = nasty.integer(random) & 0xFFFFFFFF
    elif way == 2:
        some[:] = [random.getrandbits(32) for _ in range(len(some))]
    elif way == 3:
        some[:] = np.resize(words[random.randrange(len(words)) :], len(some)).copy()
    else:
        some += np.uint32(random.choice((1, 2, 1 << 10, 1 << 16, 1 << 31)))


KINDS = {"ptx": program_text, "memory": memory}
