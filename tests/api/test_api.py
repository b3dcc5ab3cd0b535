"""What docs/api.md promises: its examples run, and importing the package costs nothing."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import visualizer as ps
from visualizer.api import Recording
from visualizer.children import child_environment
from visualizer.export import page_model
from visualizer.recording.file import save
from visualizer.recording.schema import EVENT_DTYPE, kind_name
from visualizer.recording.trace import Trace

DOCS = Path(__file__).parents[2] / "docs" / "api.md"
EXAMPLES = re.findall(r"```python\n(.*?)```", DOCS.read_text(encoding="utf-8"), re.DOTALL)


@pytest.fixture
def run(lesson_trace: Trace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Recording:
    """The lesson, in a file of the folder that is the current one."""
    save(lesson_trace, tmp_path / "run.pscope")
    monkeypatch.chdir(tmp_path)
    return ps.load("run.pscope")


def test_the_examples_of_the_docs(run: Recording) -> None:
    assert len(EXAMPLES) == 6
    names: dict[str, Any] = {}
    for example in EXAMPLES:
        exec(example, names)
    assert sorted(path.name for path in Path().iterdir()) == ["copy.pscope", "run.csv", "run.html", "run.pscope"]


def test_every_promised_name_is_there_and_in_the_docs(run: Recording) -> None:
    text = DOCS.read_text(encoding="utf-8")
    for name in ("load", "simulate", "record_kernel", "decode", "PhasescopeError"):
        assert f"ps.{name}" in text
        assert getattr(ps, name).__doc__
        assert name in dir(ps)
    public = [name for name in dir(run) if not name.startswith("_")]
    assert [name for name in public if f"run.{name}" not in text and f"broken.{name}" not in text] == []
    with pytest.raises(AttributeError, match="no attribute 'lod'"):
        ps.lod  # noqa: B018


def test_importing_brings_neither_qt_nor_cupy() -> None:
    program = """
import sys, visualizer
assert not {"numpy", "PySide6", "cupy", "visualizer.api"} & set(sys.modules)
visualizer.load, visualizer.record_kernel
assert not {"PySide6", "cupy"} & set(sys.modules)
"""
    subprocess.run([sys.executable, "-c", program], env=child_environment(), check=True, timeout=60)


def test_events_and_columns_say_the_same(run: Recording, lesson_trace: Trace) -> None:
    assert len(run) == len(lesson_trace)
    assert run.events.dtype == EVENT_DTYPE
    with pytest.raises(ValueError, match="read-only"):
        run.events["time"] = 0
    columns = run.columns()
    assert columns["kind"].tolist() == [kind_name(kind) for kind in run.events["kind"]]
    barrier = run.events["barrier"]
    assert columns["barrier"].tolist() == [run.barriers[row].name if row >= 0 else "" for row in barrier]
    assert np.array_equal(columns["time_ps"], run.events["time"])
    assert columns["tile"].mask.tolist() == (run.events["tile"] < 0).tolist()


def test_a_frame_needs_pandas(run: Recording, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ps.PhasescopeError, match="needs pandas"):
        run.frame()
    pandas = ModuleType("pandas")
    pandas.DataFrame = dict  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "pandas", pandas)
    assert len(run.frame("0:9")["step"]) == 10


def test_steps_may_count_from_the_end(run: Recording) -> None:
    assert run.state(-1) == run.state(len(run) - 1)
    assert run.explain(-1) == run.explain(len(run) - 1)
    for step in (len(run), -len(run) - 1):
        with pytest.raises(IndexError):
            run.state(step)
        with pytest.raises(IndexError):
            run.explain(step)


def test_what_is_wrong_is_one_error_in_words(run: Recording, tmp_path: Path) -> None:
    for wrong in (
        lambda: ps.load(tmp_path / "gone.pscope"),
        lambda: ps.simulate("no such program"),
        lambda: ps.simulate("lesson", stages=-1),
        lambda: ps.decode("zebra"),
        lambda: run.find("kind =="),
        lambda: run.columns("3:1"),
        lambda: run.export(tmp_path / "run.zebra"),
        lambda: run.save(tmp_path / "no folder" / "run.pscope"),
    ):
        with pytest.raises(ps.PhasescopeError) as caught:
            wrong()
        assert str(caught.value)


def test_a_page_is_framed_and_a_long_recording_says_how(run: Recording, monkeypatch: pytest.MonkeyPatch) -> None:
    framed = run.page()._repr_html_()
    assert framed.count("<") == 2
    assert 'sandbox="allow-scripts"' in framed
    long = ps.simulate("lesson", tiles=400)
    assert len(long) > 5000
    assert "recording.page(&quot;0:4999&quot;)" in long._repr_html_()
    assert "<iframe" not in long._repr_html_()


def test_a_notebook_is_told_why_there_is_no_page(run: Recording, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page_model, "MOST_HELD", 10)
    shown = run._repr_html_()
    assert "<iframe" not in shown
    assert "a page holds up to 10 changes" in shown


def test_the_window_is_a_process_of_its_own(run: Recording, monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[list[str]] = []
    monkeypatch.setattr(subprocess, "Popen", lambda command, **_: started.append(command))
    run.show()
    assert len(ps.load(started[0][-1])) == len(run)


def test_decode() -> None:
    assert ps.decode("0x7ffff00000000000", count=4)[1] == "2 of 4 arrivals have come."
    assert ps.decode(0x7FFFF00000000000)[0].startswith("The open phase has parity 0")
