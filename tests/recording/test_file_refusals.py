"""Whatever a file holds that no recording has is refused in one sentence that names the file."""

from __future__ import annotations

import errno
import json
import os
import pickle
import zipfile
from collections.abc import Callable
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
import pytest
from recording_files import MISSING, assert_equal, members_of, npy, refusal, with_value

from visualizer.recording import file as file_module
from visualizer.recording.file import load, save
from visualizer.recording.file_tables import FORMAT_VERSION
from visualizer.recording.schema import EVENT_DTYPE
from visualizer.recording.trace import Trace, TraceError


def test_files_that_cannot_be_read(tmp_path: Path, lesson_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "no such file; check the name" in refusal(tmp_path / "missing.pscope")
    assert "it is a directory; name a .pscope file" in refusal(tmp_path)
    os.mkfifo(tmp_path / "pipe")
    assert "it is not a regular file" in refusal(tmp_path / "pipe")

    def deny(*args: object) -> None:
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(file_module, "open_regular", deny)
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
    newer = with_value({**document}, ("version",), FORMAT_VERSION + 1)
    message = refusal(repack({"meta.json": newer, "new-member": b""}))
    assert f"format version {FORMAT_VERSION + 1}" in message
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
        (("barriers", 2, "name"), "full[0]", "two agents or barriers are called"),
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
        ("kind", 44, "event 3 has kind 44"),
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


def test_a_key_that_is_there_twice_among_many_is_found_at_once(repack: Callable[..., Path]) -> None:
    began = process_time()
    many = ",".join(f'"{number}": 0' for number in range(60_000))
    assert "the key '7' twice" in refusal(repack({"meta.json": f'{{{many}, "7": 1}}'.encode()}))
    assert process_time() - began < 2


@pytest.mark.parametrize("name", ["a\0b", "a\ud800b"])
def test_what_cannot_be_a_files_name_is_refused(name: str) -> None:
    with pytest.raises(TraceError, match="cannot be the name of a file"):
        load(Path(name))


@pytest.mark.parametrize("descr", ["('<i8', (3,))", "((),)", "[()]", "('V48',)", "[('time',)]", "{}", "[('a', 'O')]"])
def test_an_npy_header_of_any_shape_is_refused(descr: str, repack: Callable[..., Path]) -> None:
    header = f"{{'descr': {descr}, 'fortran_order': False, 'shape': (0,)}}".ljust(117) + "\n"
    content = b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header.encode()
    assert "events.npy has" in refusal(repack({"events.npy": content}))
