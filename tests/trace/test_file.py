"""Recording files: what is saved comes back, and whatever else a file holds is refused in one sentence that names it."""

from __future__ import annotations

import errno
import io
import json
import os
import pickle
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from visualizer.programs.lesson import lesson
from visualizer.programs.parameters import LessonConfig
from visualizer.sources.simulator import simulate
from visualizer.trace import file as file_module
from visualizer.trace.file import load, save
from visualizer.trace.schema import EVENT_DTYPE
from visualizer.trace.trace import Trace, TraceError

FUZZ = settings(
    max_examples=100,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
MISSING = object()


def assert_equal(left: Trace, right: Trace) -> None:
    assert left.meta == right.meta
    assert left.agents == right.agents
    assert left.barriers == right.barriers
    assert left.sites == right.sites
    assert dict(left.source_files) == dict(right.source_files)
    assert left.events.dtype == right.events.dtype
    assert left.events.tobytes() == right.events.tobytes()


def members_of(path: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def npy(array: np.ndarray[Any, Any]) -> bytes:
    stream = io.BytesIO()
    np.save(stream, array, allow_pickle=True)
    return stream.getvalue()


@pytest.fixture
def repack(lesson_file: Path, tmp_path: Path) -> Callable[..., Path]:
    """Makes a well-formed ZIP of the lesson's members with some replaced (None: left out); CRCs are right."""

    def make(changed: dict[str, bytes | None], compression: int = zipfile.ZIP_STORED) -> Path:
        path = tmp_path / "made.pscope"
        with zipfile.ZipFile(path, "w", compression) as archive:
            for name, content in {**members_of(lesson_file), **changed}.items():
                if content is not None:
                    archive.writestr(name, content)
        return path

    return make


def with_value(document: Any, keys: tuple[str | int, ...], value: Any) -> bytes:
    """meta.json with one value replaced, or its key left out."""
    parent = document
    for key in keys[:-1]:
        parent = parent[key]
    if value is MISSING:
        del parent[keys[-1]]
    else:
        parent[keys[-1]] = value
    return json.dumps(document).encode()


def refusal(path: Path) -> str:
    """The message of the TraceError that loading `path` raises; it is one line and begins with the file's name."""
    with pytest.raises(TraceError) as caught:
        load(path)
    message = str(caught.value)
    assert message.startswith(f"{path}: ")
    assert "\n" not in message
    return message


@pytest.mark.parametrize(
    "config",
    [
        {},
        {"ctas": 2, "tiles": 5, "stages": 2},
        {"producer_phase": 0},
        {"stages": 1, "consumer_warps": 1, "arrive_per_warp": True, "producer_delay": 500},
        {"transaction_bytes": 20000},
    ],
)
def test_a_recording_comes_back_as_it_was(config: dict[str, Any], tmp_path: Path) -> None:
    trace = simulate(lesson(LessonConfig(**config)), seed=7)
    path = tmp_path / "run.pscope"
    save(trace, path)
    assert_equal(load(path), trace)


def test_every_key_of_meta_comes_back(lesson_trace: Trace, tmp_path: Path) -> None:
    meta = replace(
        lesson_trace.meta,
        command="phasescope record --tile 128x64 -o Grüße.pscope",
        records_lost=2**40,
        events_dropped=3,
        clock={"ps_per_cycle": 0.1 + 0.2, "sms": 132},
        reconcile={"moved": 4, "median_ns": 2.5},
        check={"mode": "exact", "checked": 65536, "errors": 0},
        versions={"phasescope": "0", "numpy": "2"},
    )
    trace = replace(lesson_trace, meta=meta)
    save(trace, tmp_path / "run.pscope")
    assert_equal(load(tmp_path / "run.pscope"), trace)


def test_a_recording_without_events_comes_back(lesson_trace: Trace, tmp_path: Path) -> None:
    trace = replace(lesson_trace, events=np.zeros(0, EVENT_DTYPE))
    save(trace, tmp_path / "empty.pscope")
    assert_equal(load(tmp_path / "empty.pscope"), trace)


def test_more_events_than_one_chunk_come_back(
    lesson_trace: Trace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(file_module, "_CHUNK_BYTES", 48 * 100)
    save(lesson_trace, tmp_path / "run.pscope")
    assert_equal(load(tmp_path / "run.pscope"), lesson_trace)


def test_a_large_files_layout_comes_back(lesson_trace: Trace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(file_module, "_ZIP64_FROM", 100)
    save(lesson_trace, tmp_path / "run.pscope")
    loaded = load(tmp_path / "run.pscope")
    assert_equal(loaded, lesson_trace)
    assert loaded.events.ctypes.data % 64 == 0


def test_events_are_mapped_read_only_and_aligned(lesson_file: Path) -> None:
    events = load(lesson_file).events
    assert isinstance(events, np.memmap)
    assert not events.flags.writeable
    assert events.ctypes.data % 64 == 0
    with pytest.raises(ValueError, match="read-only"):
        events["time"][0] = 1
    with pytest.raises(ValueError, match="WRITEABLE"):
        events.flags.writeable = True


def test_other_tools_can_read_it(lesson_file: Path, lesson_trace: Trace) -> None:
    with np.load(lesson_file, allow_pickle=False) as arrays:
        assert (arrays["events"] == lesson_trace.events).all()
    document = json.loads(members_of(lesson_file)["meta.json"])
    assert (document["format"], document["version"]) == ("phasescope-trace", 1)


def test_saving_over_the_file_that_is_open_leaves_its_recording_valid(lesson_trace: Trace, tmp_path: Path) -> None:
    path = tmp_path / "run.pscope"
    save(lesson_trace, path)
    opened = load(path)
    other = simulate(lesson(LessonConfig(tiles=2)))
    save(other, path)
    assert_equal(opened, lesson_trace)
    assert_equal(load(path), other)
    save(opened, path)
    assert_equal(load(path), lesson_trace)


@pytest.mark.parametrize("call", ["replace", "fsync"])
def test_a_failed_save_leaves_the_old_file_and_nothing_else(
    call: str, lesson_file: Path, lesson_trace: Trace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "run.pscope"
    path.write_bytes(lesson_file.read_bytes())

    def fail(*args: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, call, fail)
    with pytest.raises(TraceError, match=r"run\.pscope cannot be saved: No space left on device; check that .* room"):
        save(simulate(lesson(LessonConfig(tiles=2))), path)
    assert os.listdir(tmp_path) == ["run.pscope"]
    assert path.read_bytes() == lesson_file.read_bytes()


def test_an_interrupted_save_leaves_nothing(
    lesson_trace: Trace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(*args: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", interrupt)
    with pytest.raises(KeyboardInterrupt):
        save(lesson_trace, tmp_path / "run.pscope")
    assert os.listdir(tmp_path) == []


def test_places_that_cannot_be_saved_to_are_named(lesson_trace: Trace, tmp_path: Path) -> None:
    with pytest.raises(TraceError, match=r"no/run\.pscope cannot be saved: No such file or directory; check"):
        save(lesson_trace, tmp_path / "no" / "run.pscope")
    with pytest.raises(TraceError, match="cannot be saved: it is a directory; choose another name"):
        save(lesson_trace, tmp_path)
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(TraceError, match="pipe cannot be saved: it is not a regular file"):
        save(lesson_trace, tmp_path / "pipe")
    assert os.listdir(tmp_path) == ["pipe"]


def test_a_link_is_followed(lesson_trace: Trace, tmp_path: Path) -> None:
    (tmp_path / "link.pscope").symlink_to(tmp_path / "real.pscope")
    save(lesson_trace, tmp_path / "link.pscope")
    assert (tmp_path / "link.pscope").is_symlink()
    assert_equal(load(tmp_path / "real.pscope"), lesson_trace)


@pytest.mark.parametrize("value", [float("nan"), np.int64(3), {1, 2}])
def test_meta_that_json_has_no_word_for_is_not_saved(value: object, lesson_trace: Trace, tmp_path: Path) -> None:
    trace = replace(lesson_trace, meta=replace(lesson_trace.meta, clock={"x": value}))
    with pytest.raises(TraceError, match=r"run\.pscope cannot be saved: meta holds a value that JSON cannot"):
        save(trace, tmp_path / "run.pscope")
    assert os.listdir(tmp_path) == []


def test_bytes_of_a_file_name_that_are_no_text_do_not_lose_the_run(lesson_trace: Trace, tmp_path: Path) -> None:
    trace = replace(lesson_trace, meta=replace(lesson_trace.meta, command="record -o \udcff.pscope"))
    save(trace, tmp_path / "run.pscope")
    assert load(tmp_path / "run.pscope").meta.command == "record -o ?.pscope"


def test_files_that_cannot_be_read(tmp_path: Path, lesson_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "no such file; check the name" in refusal(tmp_path / "missing.pscope")
    assert "it is a directory; name a .pscope file" in refusal(tmp_path)
    os.mkfifo(tmp_path / "pipe")
    assert "it is not a regular file" in refusal(tmp_path / "pipe")

    def deny(*args: object) -> None:
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(file_module, "open", deny, raising=False)
    assert "you may not read it; change its permissions" in refusal(lesson_file)


@pytest.mark.parametrize("content", [b"", b"P", b"hello", pickle.dumps({"a": 1}), npy(np.zeros(3))])
def test_what_is_no_zip_is_refused(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "other.pscope"
    path.write_bytes(content)
    assert "not a ZIP file); choose a .pscope file" in refusal(path)


def test_a_truncated_file_is_refused(lesson_file: Path, tmp_path: Path) -> None:
    path = tmp_path / "half.pscope"
    whole = lesson_file.read_bytes()
    for length in (4, 200, len(whole) // 2, len(whole) - 1):
        path.write_bytes(whole[:length])
        assert "truncated or damaged" in refusal(path)


@pytest.mark.parametrize(("member", "find"), [("events.npy", b"NUMPY"), ("meta.json", b'"program"')])
def test_a_damaged_member_is_named(member: str, find: bytes, lesson_file: Path, tmp_path: Path) -> None:
    content = bytearray(lesson_file.read_bytes())
    content[content.index(find) + 400] ^= 1
    path = tmp_path / "damaged.pscope"
    path.write_bytes(content)
    message = refusal(path)
    assert f"{member} is damaged (CRC " in message
    assert "copy or record it again" in message


def patched_directory(lesson_file: Path, member: str, offset: int, value: bytes) -> bytes:
    """The lesson's file with bytes of a member's entry in the ZIP's directory replaced."""
    content = bytearray(lesson_file.read_bytes())
    entry = content.rindex(member.encode()) - 46
    assert content[entry : entry + 4] == b"PK\x01\x02"
    content[entry + offset : entry + offset + len(value)] = value
    return bytes(content)


@pytest.mark.parametrize(
    ("offset", "value", "words"),
    [
        (8, b"\x01\x00", "is encrypted, which recordings never are"),
        (10, b"\x08\x00", "is compressed"),
        (20, b"\x01\x00\x00\x00", "has two different sizes"),
        (20, b"\x00\x00\x00\x70" * 2, "more than the file holds"),
        (42, b"\x00\x10\x00\x00", "is not where the directory says"),
    ],
)
@pytest.mark.parametrize("member", ["events.npy", "meta.json"])
def test_a_directory_that_lies_is_refused(
    member: str, offset: int, value: bytes, words: str, lesson_file: Path, tmp_path: Path
) -> None:
    path = tmp_path / "lie.pscope"
    path.write_bytes(patched_directory(lesson_file, member, offset, value))
    message = refusal(path)
    assert member in message
    assert words in message


def test_compression_is_refused_before_anything_is_unpacked(repack: Callable[..., Path]) -> None:
    assert "is compressed" in refusal(repack({}, zipfile.ZIP_DEFLATED))


def test_unknown_missing_and_double_members_are_refused(repack: Callable[..., Path], lesson_file: Path) -> None:
    assert "has a member 'extra.txt', which no recording has" in refusal(repack({"extra.txt": b""}))
    assert "has no meta.json" in refusal(repack({"meta.json": None}))
    assert "has no events.npy" in refusal(repack({"events.npy": None}))
    path = repack({})
    with zipfile.ZipFile(path, "a") as archive, pytest.warns(UserWarning, match="Duplicate"):
        archive.writestr("meta.json", b"{}")
    assert "has the member 'meta.json' twice" in refusal(path)


def test_other_formats_and_newer_versions(repack: Callable[..., Path], lesson_file: Path) -> None:
    document = json.loads(members_of(lesson_file)["meta.json"])
    other = with_value({**document}, ("format",), "something")
    assert "this is not a phasescope recording" in refusal(repack({"meta.json": other}))
    newer = with_value({**document}, ("version",), 2)
    message = refusal(repack({"meta.json": newer, "new-member": b""}))
    assert "format version 2" in message
    assert "update phasescope" in message


def test_unknown_keys_are_left_alone(repack: Callable[..., Path], lesson_file: Path, lesson_trace: Trace) -> None:
    document = json.loads(members_of(lesson_file)["meta.json"])
    document["later"] = document["meta"]["later"] = document["agents"][0]["later"] = 1
    assert_equal(load(repack({"meta.json": json.dumps(document).encode()})), lesson_trace)


@pytest.mark.parametrize(
    ("keys", "value", "words"),
    [
        (("version",), "1", 'version in meta.json is "1"; it must be a whole number'),
        (("version",), MISSING, "meta.json has no version"),
        (("meta",), [], "meta in meta.json is []; it must be an object"),
        (("meta", "program"), MISSING, "meta.json has no meta.program"),
        (("meta", "program"), 3, "meta.program in meta.json is 3; it must be text"),
        (("meta", "config"), None, "meta.config in meta.json is null; it must be an object"),
        (("meta", "ending", "kind"), "bored", 'meta.ending.kind in meta.json is "bored"; it must be one of completed'),
        (("meta", "ending", "kind"), [], "meta.ending.kind in meta.json is []; it must be one of"),
        (("meta", "records_lost"), -1, "meta.records_lost in meta.json is -1"),
        (("meta", "records_lost"), True, "meta.records_lost in meta.json is true"),
        (("meta", "versions", "phasescope"), 1, "meta.versions['phasescope'] in meta.json is 1; it must be text"),
        (("agents",), {}, "agents in meta.json is {}; it must be an array"),
        (("agents", 1), 5, "agents[1] in meta.json is 5; it must be an object"),
        (("agents", 1, "name"), MISSING, "meta.json has no agents[1].name"),
        (("agents", 0, "role"), "boss", "agents[0].role"),
        (("agents", 0, "cta"), 10**30, "agents[0].cta"),
        (
            ("agents", 0, "start", "index"),
            3,
            "agents[0].start.index in meta.json is 3; it must be a whole number in 0..2",
        ),
        (("agents", 0, "start", "phase"), 2, "agents[0].start.phase"),
        (("agents", 0, "start", "stages"), 0, "agents[0].start.stages"),
        (("barriers", 2, "kind"), "half", "barriers[2].kind"),
        (("barriers", 2, "stage"), 40000, "barriers[2].stage"),
        (("barriers", 2, "init_count"), 1.5, "barriers[2].init_count in meta.json is 1.5"),
        (("barriers", 2, "name"), "full[0]", "two barriers share a name"),
        (("sites", 0, "line"), 0, "sites[0].line"),
        (("source_files",), [1], "source_files in meta.json is [1]"),
        (("source_files", "kernels/async_pipeline.cu"), 1, "source_files['kernels/async_pipeline.cu']"),
    ],
)
def test_a_wrong_key_is_named(
    keys: tuple[str | int, ...], value: object, words: str, repack: Callable[..., Path], lesson_file: Path
) -> None:
    document = json.loads(members_of(lesson_file)["meta.json"])
    assert words in refusal(repack({"meta.json": with_value(document, keys, value)}))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (b"", "not JSON"),
        (b"{", "not JSON"),
        (b"\xff\xfe{}", "not UTF-8"),
        (b'{"format": "\\ud800"}', "not UTF-8"),
        (b'{"a": NaN}', "holds the number NaN, which is not finite"),
        (b'{"a": 1e999}', "holds the number 1e999, which is not finite"),
        (b'{"a": 1, "a": 2}', "the key 'a' twice"),
        (b"[" * 100_000, "nested too deeply"),
        (b"1" * 10_000, "not JSON"),
        (b"[]", "this is not a phasescope recording"),
        (b'{"a": 1}', "this is not a phasescope recording"),
    ],
)
def test_what_is_no_strict_json_is_refused(text: bytes, words: str, repack: Callable[..., Path]) -> None:
    assert words in refusal(repack({"meta.json": text}))


def test_tables_beyond_the_limit_are_refused(
    lesson_file: Path, lesson_trace: Trace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(file_module, "MAX_META_BYTES", 1000)
    assert "at most 1000 are allowed" in refusal(lesson_file)
    with pytest.raises(TraceError, match="at most 1000 fit"):
        save(lesson_trace, tmp_path / "run.pscope")


def header(text: str) -> bytes:
    """An npy 1.0 header that says `text`."""
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text.encode()


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "no valid npy header"),
        (b"nothing of the kind", "no valid npy header"),
        (b"\x93NUMPY\x02\x00" + bytes(100), "npy version 2.0; it must be 1.0"),
        (
            header("{'descr': __import__('os').system('true'), 'fortran_order': False, 'shape': (0,)}"),
            "no valid npy header",
        ),
        (header("((((("), "no valid npy header"),
        (header("(" * 9000), "no valid npy header"),
        (header("{'descr': '<f8', 'shape': (0,)}"), "no valid npy header"),
        (npy(np.zeros(3)), "not those of an event"),
        (npy(np.array([{}], dtype=object)), "not those of an event"),
        (npy(np.zeros(2, EVENT_DTYPE).astype(EVENT_DTYPE.newbyteorder(">"))), "not those of an event"),
        (npy(np.zeros((2, 2), EVENT_DTYPE)), "must be one-dimensional"),
        (npy(np.zeros((), EVENT_DTYPE)), "must be one-dimensional"),
        (npy(np.zeros(2, EVENT_DTYPE)) + b"x", "has 97 bytes of events; its 2 events take 96"),
        (npy(np.zeros(2, EVENT_DTYPE))[:-1], "has 95 bytes of events; its 2 events take 96"),
    ],
)
def test_arrays_that_are_no_events_are_refused(content: bytes, words: str, repack: Callable[..., Path]) -> None:
    assert words in refusal(repack({"events.npy": content}))


def test_no_pickle_is_ever_loaded(repack: Callable[..., Path], tmp_path: Path) -> None:
    class Bomb:
        def __reduce__(self) -> tuple[Any, ...]:
            return (Path.touch, (tmp_path / "exploded",))

    assert "not those of an event" in refusal(repack({"events.npy": npy(np.array([Bomb()], dtype=object))}))
    assert "no valid npy header" in refusal(repack({"events.npy": pickle.dumps(Bomb())}))
    assert not (tmp_path / "exploded").exists()


@pytest.mark.parametrize(
    ("column", "value", "words"),
    [
        ("agent", 5, "event 3 has agent 5, outside 0..4"),
        ("barrier", 6, "event 3 has barrier 6, outside -1..5"),
        ("site", -2, "event 3 has site -2"),
        ("stage", 3, "event 3 has stage 3, outside -1..2"),
        ("kind", 0, "event 3 has kind 0"),
        ("kind", 20, "event 3 has kind 20"),
        ("parity", 2, "event 3 has parity 2"),
        ("time", -5, "event 3 at -5 ps is earlier than event 2"),
    ],
)
def test_events_that_break_the_schema_are_refused(
    column: str, value: int, words: str, lesson_trace: Trace, repack: Callable[..., Path]
) -> None:
    events = lesson_trace.events.copy()
    events[column][3] = value
    assert words in refusal(repack({"events.npy": npy(events)}))


@st.composite
def damage(draw: st.DrawFn) -> Callable[[bytes], bytes]:
    """Flips, overwrites, cuts, inserts or appends, where it matters: any place, counted from either end."""
    from_end = draw(st.booleans())
    place = draw(st.one_of(st.integers(0, 400), st.integers(0, 1 << 16)))
    way = draw(st.sampled_from(["flip", "overwrite", "cut", "insert", "append"]))
    new = draw(st.binary(min_size=1, max_size=12))

    def apply(content: bytes) -> bytes:
        at = place % len(content)
        at = len(content) - 1 - at if from_end else at
        if way == "flip":
            return content[:at] + bytes([content[at] ^ (1 << (new[0] % 8))]) + content[at + 1 :]
        if way == "overwrite":
            return (content[:at] + new + content[at + len(new) :])[: len(content)]
        if way == "cut":
            return content[:at]
        return content[:at] + new + content[at:] if way == "insert" else content + new

    return apply


@FUZZ
@given(damages=st.lists(damage(), min_size=1, max_size=3))
def test_damage_anywhere_is_refused_or_harmless(
    damages: list[Callable[[bytes], bytes]], lesson_file: Path, lesson_trace: Trace, tmp_path: Path
) -> None:
    content = lesson_file.read_bytes()
    for apply in damages:
        content = apply(content) or b"x"
    path = tmp_path / "fuzzed.pscope"
    # A new file each time: the one before may still be mapped.
    path.unlink(missing_ok=True)
    path.write_bytes(content)
    try:
        loaded = load(path)
    except TraceError as error:
        assert str(path) in str(error)
    else:
        assert_equal(loaded, lesson_trace)


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=5),
    lambda children: st.lists(children, max_size=3) | st.dictionaries(st.text(max_size=3), children, max_size=3),
    max_leaves=4,
)


@FUZZ
@given(data=st.data())
def test_any_value_at_any_key_loads_or_is_refused(
    data: st.DataObject, lesson_file: Path, repack: Callable[..., Path]
) -> None:
    document = json.loads(members_of(lesson_file)["meta.json"])
    keys: list[str | int] = []
    value = document
    while isinstance(value, dict | list) and value and (not keys or data.draw(st.booleans())):
        keys.append(data.draw(st.sampled_from(list(value) if isinstance(value, dict) else range(len(value)))))
        value = value[keys[-1]]
    content = with_value(document, tuple(keys), data.draw(JSON_VALUES))
    try:
        load(repack({"meta.json": content}))
    except TraceError as error:
        assert "made.pscope" in str(error)
