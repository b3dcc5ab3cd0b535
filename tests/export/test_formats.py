"""The one door to every format: endings, size limits, whole files or none, missing packages, cancel."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import pytest

from visualizer.export import formats
from visualizer.export.errors import ExportError
from visualizer.export.formats import FORMATS, export, format_of
from visualizer.export.selection import select
from visualizer.export.writing import Look
from visualizer.replay.history import History
from visualizer.sources.errors import Cancelled


def test_an_unknown_ending_lists_those_there_are() -> None:
    with pytest.raises(ExportError, match=r"run\.xls: no format has this ending; choose one of \.pftrace, \.json"):
        format_of(Path("run.xls"))


@pytest.mark.parametrize("suffix", [s for s, f in FORMATS.items() if f.bytes_per_event])
def test_the_size_told_beforehand_is_about_the_size_written(recorded: History, tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"lesson{suffix}"
    written = export(select(recorded), path, Look())
    expected = formats.expected_bytes(FORMATS[suffix], select(recorded))
    assert expected / 2 < written < expected * 2


def test_what_no_tool_would_open_is_refused_with_a_range_that_fits(
    recorded: History, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(formats, "MOST_BYTES", 10_000)
    with pytest.raises(ExportError, match=r"lesson\.csv would have about 30 kB.* --range 0:79") as refusal:
        export(select(recorded), tmp_path / "lesson.csv", Look())
    assert "--lanes" in str(refusal.value)
    assert not list(tmp_path.iterdir())
    assert export(select(recorded, "0:79"), tmp_path / "lesson.csv", Look()) < 20_000


@pytest.mark.parametrize("suffix", [".gif", ".html"])
def test_too_many_steps_are_refused(four_ctas: History, tmp_path: Path, suffix: str, monkeypatch) -> None:
    most = FORMATS[suffix].most_steps
    chosen = select(four_ctas)
    monkeypatch.setattr(type(chosen), "rows", list(range(most + 1)))
    with pytest.raises(ExportError, match=f"{most + 1} steps are too many .* --range 0:{most - 1}"):
        export(chosen, tmp_path / f"x{suffix}", Look())


@pytest.mark.parametrize("suffix", [".json", ".csv", ".vcd", ".pftrace", ".npz", ".html"])
def test_cancel_leaves_the_old_file(recorded: History, tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"old{suffix}"
    path.write_bytes(b"old")
    with pytest.raises(Cancelled):
        export(select(recorded), path, Look(), cancelled=lambda: True)
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_progress_ends_at_one(recorded: History, tmp_path: Path) -> None:
    for suffix in (".json", ".csv", ".vcd", ".pftrace", ".npz"):
        seen: list[float] = []
        export(
            select(recorded), tmp_path / f"x{suffix}", Look(), lambda fraction, what, seen=seen: seen.append(fraction)
        )
        assert seen == sorted(seen)
        assert 0.9 <= seen[-1] <= 1


def test_a_folder_that_is_not_there_is_named(recorded: History, tmp_path: Path) -> None:
    with pytest.raises(ExportError, match=r"cannot be written: No such file or directory; check that .*gone exists"):
        export(select(recorded), tmp_path / "gone" / "x.csv", Look())


def test_a_directory_is_not_overwritten(recorded: History, tmp_path: Path) -> None:
    (tmp_path / "x.csv").mkdir()
    with pytest.raises(ExportError, match="not a regular file"):
        export(select(recorded), tmp_path / "x.csv", Look())


@pytest.mark.parametrize(
    ("suffix", "module", "package"),
    [(".vcd", "vcd", "pyvcd"), (".pftrace", "perfetto.protos.perfetto.trace.perfetto_trace_pb2", "perfetto")],
)
def test_a_missing_package_is_named_with_the_command_that_installs_it(
    recorded: History, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, suffix: str, module: str, package: str
) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(ExportError, match=rf"package {package}.* run: pip install 'phasescope\[export\]'"):
        export(select(recorded), tmp_path / f"x{suffix}", Look())
    assert not list(tmp_path.iterdir())


def test_a_page_of_too_many_lanes_is_refused(
    four_ctas: History, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    few = replace(FORMATS[".html"], most_lanes=3)
    monkeypatch.setitem(FORMATS, ".html", few)
    with pytest.raises(ExportError, match=r"lanes are too many for this format, which takes up to 3; name some"):
        export(select(four_ctas), tmp_path / "x.html", Look())
    assert export(select(four_ctas, lanes=["CTA0.full[*]"]), tmp_path / "x.html", Look())
