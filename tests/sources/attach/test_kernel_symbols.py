"""CuTe's kernel_symbols.json: what is read of it, and what one is told of a file that is none."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.sources.attach.conftest import Watched
from visualizer.recording.file import load
from visualizer.sources.attach.kernel_symbols import read_symbols, symbols_files
from visualizer.sources.errors import SourceError

TABLE = {
    "warps": {"LoadWarp": {"warp_start": 13, "warp_end": 14}},
    "bar_alloc": "load_q:2, load_kv:3",
    "barriers": {
        "load_q": {"num_stages": 2, "pipeline_type": "PipelineTmaUmma"},
        "load_kv": {"num_stages": 3, "pipeline_type": "PipelineTmaUmma", "later": True},
    },
    "schedule": [],
}


def test_names_and_stages_are_read(tmp_path: Path) -> None:
    path = tmp_path / "kernel_symbols.json"
    assert read_symbols([path], 0.0) == []
    path.write_text(json.dumps(TABLE))
    assert read_symbols([path], 0.0) == [
        {"name": "load_q", "stages": 2, "type": "PipelineTmaUmma"},
        {"name": "load_kv", "stages": 3, "type": "PipelineTmaUmma"},
    ]
    assert read_symbols([path], path.stat().st_mtime + 60) == []  # it is another run's
    path.write_text('{"warps": {}}')
    assert read_symbols([path], 0.0) == []


@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", '{"barriers": []}', '{"barriers": {"a": 3}}', '{"barriers": {"a": {"num_stages": "3"}}}'],
)
def test_what_is_no_table_is_one_sentence(tmp_path: Path, text: str) -> None:
    path = tmp_path / "kernel_symbols.json"
    path.write_text(text)
    with pytest.raises(SourceError, match="is no table of CuTe's barriers"):
        read_symbols([path], 0.0)


def test_what_is_no_file_is_none(tmp_path: Path) -> None:
    path = tmp_path / "kernel_symbols.json"
    path.symlink_to("/dev/null")
    assert read_symbols([path], 0.0) == []


def test_where_it_lies(tmp_path: Path) -> None:
    file = "kernel_symbols.json"
    dumps = {"CUTE_DSL_DUMP_DIR": "/session"}
    assert symbols_files({}, dumps, tmp_path) == (Path("/session") / file, tmp_path / file)
    given = {"CUTE_DSL_DUMP_DIR": "dump"}
    assert symbols_files(given, given, tmp_path) == (tmp_path / "dump" / file,)
    (tmp_path / file).write_text(json.dumps(TABLE))
    assert len(read_symbols([tmp_path / "none", tmp_path / file], 0.0)) == 2


def test_a_recording_tells_them(watch: Callable[..., Watched], tmp_path: Path) -> None:
    words = ("proc", "load", "module.ptx", "launch", "gemm")
    path = tmp_path / "kernel_symbols.json"
    path.write_text(json.dumps(TABLE))
    os.utime(path, (time.time() + 60,) * 2)
    dump = {"CUTE_DSL_DUMP_DIR": str(tmp_path)}
    assert watch(*words, environment=dump).heard.sentences == []
    assert [one["name"] for one in load(tmp_path / "gemm.pscope").meta.source["symbols"]] == ["load_q", "load_kv"]
    path.write_text("?")
    os.utime(path, (time.time() + 60,) * 2)
    (sentence,) = watch(*words, environment=dump).heard.sentences
    assert "is no table of CuTe's barriers" in sentence
