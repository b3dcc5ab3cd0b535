"""Notes and their sidecar file: kept to the letter, refused when damaged or another recording's, replaced in one go."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pane_testing import LAST, hand_trace

from visualizer.playback import notes_file, notes_format
from visualizer.playback.focus import Focus
from visualizer.playback.notes import Mark, Notes, SavedBreakpoint
from visualizer.playback.notes_file import (
    NotesError,
    fingerprint,
    load_notes,
    load_structure,
    notes_path,
    save_notes,
    save_structure,
)
from visualizer.playback.notes_format import encode, json_text, lines_of

_TRACE = hand_trace()
_NOTES = (
    Notes()
    .with_bookmark(3, Focus(12, "full[0]"))
    .with_mark(Mark(Focus(5), text="here it begins"))
    .with_mark(Mark(Focus(7, "producer"), last=20))
    .with_breakpoints([SavedBreakpoint("blocked"), SavedBreakpoint("wait > 500 ns", enabled=False)])
)


def test_marks_stay_in_order_of_step() -> None:
    assert [mark.focus.step for mark in _NOTES.marks] == [5, 7, 12]


def test_a_bookmark_moves_with_its_text_and_goes_when_it_is_set_again() -> None:
    mark = _NOTES.bookmark(3)
    written = _NOTES.with_text(mark, "why?")
    moved = written.with_bookmark(3, Focus(30))
    assert moved.bookmark(3) == Mark(Focus(30), text="why?", bookmark=3)
    assert len(moved.marks) == 3
    assert moved.with_bookmark(3, Focus(30)).bookmark(3) is None


def test_what_is_saved_is_what_is_loaded(tmp_path: Path) -> None:
    path = notes_path(tmp_path / "run.pscope")
    assert path.name == "run.pscope.notes.json"
    save_notes(path, _NOTES, _TRACE)
    assert load_notes(path, _TRACE) == _NOTES
    assert [entry.name for entry in tmp_path.iterdir()] == [path.name], "no temporary file stays"


_MARKS = st.builds(
    Mark,
    st.builds(Focus, st.integers(0, LAST), st.none() | st.text(max_size=8)),
    st.just(None) | st.just(LAST),
    st.text(max_size=20),
)


@given(st.lists(_MARKS, max_size=5))
def test_any_notes_survive(tmp_path_factory: pytest.TempPathFactory, marks: list[Mark]) -> None:
    notes = Notes()
    for mark in marks:
        notes = notes.with_mark(mark)
    path = tmp_path_factory.mktemp("notes") / "a.notes.json"
    save_notes(path, notes, _TRACE)
    assert load_notes(path, _TRACE) == notes


def test_without_notes_there_is_no_file(tmp_path: Path) -> None:
    path = tmp_path / "a.notes.json"
    assert load_notes(path, _TRACE) == Notes()
    save_notes(path, _NOTES, _TRACE)
    save_notes(path, Notes(), _TRACE)
    assert not path.exists()


def test_notes_on_another_recording_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.notes.json"
    save_notes(path, _NOTES, hand_trace(created="2026-01-01T00:00:00Z"))
    with pytest.raises(NotesError, match="another recording"):
        load_notes(path, _TRACE)


def test_the_fingerprint_sees_the_events_and_the_time(tmp_path: Path) -> None:
    other = hand_trace().events.copy()
    other["amount"][3] += 1
    from dataclasses import replace

    assert fingerprint(_TRACE) == fingerprint(hand_trace())
    assert fingerprint(_TRACE) != fingerprint(replace(_TRACE, events=other))
    assert fingerprint(_TRACE) != fingerprint(hand_trace(created="2026"))


def _document(**changes: Any) -> dict[str, Any]:
    document = json.loads(json_text(encode(_NOTES, fingerprint(_TRACE), lines_of(_NOTES.marks, {}))))
    document.update(changes)
    return document


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("{", "cannot be read as notes"),
        ("[]", "the file is not an object"),
        (json.dumps({}), "does not say"),
        (json.dumps(_document(version=2)), "its version is 2, this phasescope reads 1"),
        (json.dumps(_document(marks=None)), "marks is not a list"),
        (json.dumps(_document(marks=[{"step": -1}])), r"marks\[0\] has no step"),
        (json.dumps(_document(marks=[{"step": True, "text": ""}])), r"marks\[0\] has no step"),
        (json.dumps(_document(marks=[{"step": 5, "last": 4, "text": ""}])), "last must be a step not before"),
        (json.dumps(_document(marks=[{"step": 5, "bookmark": 10, "text": ""}])), "bookmark must be 1 to 9"),
        (json.dumps(_document(marks=[{"step": 5, "bookmark": 1.0, "text": ""}])), "bookmark must be 1 to 9"),
        (json.dumps(_document(marks=[{"step": 5, "bookmark": [1], "text": ""}])), "bookmark must be 1 to 9"),
        (json.dumps(_document(marks=[{"step": 5, "lane": 3, "text": ""}])), "lane must be a name"),
        (json.dumps(_document(marks=[{"step": 5}])), "text must be a text"),
        (json.dumps(_document(marks=[{"step": n, "bookmark": 1, "text": ""} for n in (1, 2)])), "one bookmark number"),
        (json.dumps(_document(breakpoints=[{"query": "blocked"}])), "enabled must be true or false"),
        (json.dumps(_document(breakpoints=[{"enabled": True}])), "query must be a text"),
        (json.dumps(_document(breakpoints=[3])), r"breakpoints\[0\] is not an object"),
        (json.dumps(_document(recording=None)), "recording must be a text"),
        (json.dumps(_document(marks=[{"step": LAST + 1, "text": ""}])), "another recording"),
        ("[" * 100_000, "cannot be read as notes"),
    ],
)
def test_a_damaged_file_is_refused_with_its_name_and_stays(tmp_path: Path, content: str, words: str) -> None:
    path = tmp_path / "a.notes.json"
    path.write_text(content)
    with pytest.raises(NotesError, match=words) as raised:
        load_notes(path, _TRACE)
    assert str(path) in str(raised.value)
    assert path.read_text() == content


def test_a_huge_file_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(notes_file, "MOST_BYTES", 10)
    path = tmp_path / "a.notes.json"
    path.write_text(" " * 11)
    with pytest.raises(NotesError, match="too large"):
        load_notes(path, _TRACE)


def test_a_folder_in_the_way_is_a_sentence(tmp_path: Path) -> None:
    path = tmp_path / "a.notes.json"
    path.mkdir()
    with pytest.raises(NotesError, match="cannot be read"):
        load_notes(path, _TRACE)
    with pytest.raises(NotesError, match="cannot be saved"):
        save_notes(path, _NOTES, _TRACE)
    assert [entry.name for entry in tmp_path.iterdir()] == [path.name]


ENTRIES = [{"ring": "ring0", "name": "kv"}]


def test_structure_and_notes_keep_each_other(tmp_path: Path) -> None:
    path = notes_path(tmp_path / "a.pscope")
    assert load_structure(path) == []
    save_structure(path, ENTRIES, _TRACE, [])
    assert load_notes(path, _TRACE) == Notes()
    save_notes(path, _NOTES, _TRACE)
    assert (load_structure(path), load_notes(path, _TRACE)) == (ENTRIES, _NOTES)
    save_notes(path, Notes(), _TRACE)
    assert load_structure(path) == ENTRIES
    save_structure(path, [], _TRACE, ENTRIES)
    assert not path.exists()
    save_notes(path, _NOTES, _TRACE)
    save_structure(path, ENTRIES, _TRACE, [])
    save_structure(path, [], _TRACE, ENTRIES)
    assert load_notes(path, _TRACE) == _NOTES


def test_structure_outlives_a_new_recording_of_that_name(tmp_path: Path) -> None:
    path = notes_path(tmp_path / "a.pscope")
    other = hand_trace(created="2026-01-01T00:00:00Z")
    save_notes(path, _NOTES, _TRACE)
    save_structure(path, ENTRIES, other, [])
    assert load_structure(path) == ENTRIES
    assert load_notes(path, _TRACE) == _NOTES
    with pytest.raises(NotesError):
        load_notes(path, other)
    save_notes(path, Notes(), _TRACE)
    assert load_notes(path, other) == Notes()  # no note in it is on another recording
    save_notes(path, _NOTES, other)
    assert (load_structure(path), load_notes(path, other)) == (ENTRIES, _NOTES)


def test_a_file_written_by_hand_may_hold_structure_alone(tmp_path: Path) -> None:
    path = notes_path(tmp_path / "a.pscope")
    path.write_text(json.dumps({"structure": ENTRIES}), encoding="utf-8")
    assert (load_structure(path), load_notes(path, _TRACE)) == (ENTRIES, Notes())
    more = [*ENTRIES, {"agents": ["w1"], "role": "mma"}]
    save_structure(path, more, _TRACE, ENTRIES)
    assert (load_structure(path), load_notes(path, _TRACE)) == (more, Notes())
    save_notes(path, _NOTES, _TRACE)
    assert (load_structure(path), load_notes(path, _TRACE)) == (more, _NOTES)


_DEEP = json.dumps({"structure": ["[" * 12]}).replace('"' + "[" * 12 + '"', "[" * 12 + "]" * 12)


@pytest.mark.parametrize("text", ["[", "[]", '{"structure": 3}', _DEEP, json.dumps({"structure": [0] * 1001})])
def test_a_structure_that_cannot_be_read_is_not_written_over(tmp_path: Path, text: str) -> None:
    path = notes_path(tmp_path / "a.pscope")
    path.write_text(text, encoding="utf-8")
    with pytest.raises(NotesError, match=r"a\.pscope\.notes\.json"):
        load_structure(path)
    with pytest.raises(NotesError):
        save_structure(path, ENTRIES, _TRACE, [])
    with pytest.raises(NotesError):
        load_notes(path, _TRACE)
    assert path.read_text(encoding="utf-8") == text


def test_a_file_is_read_again_once_another_wrote_it(tmp_path: Path) -> None:
    path = notes_path(tmp_path / "a.pscope")
    save_notes(path, _NOTES, _TRACE)
    assert load_notes(path, _TRACE) is load_notes(path, _TRACE), "what is known is not read again"
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace('"text": "', '"text": "more '), encoding="utf-8")
    assert all(mark.text.startswith("more ") for mark in load_notes(path, _TRACE).marks)
    path.write_text("[", encoding="utf-8")
    with pytest.raises(NotesError):
        load_notes(path, _TRACE)
    path.unlink()
    assert load_notes(path, _TRACE) == Notes()


def test_what_is_remembered_of_a_file_is_what_is_in_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = notes_path(tmp_path / "a.pscope")
    save_notes(path, _NOTES.with_mark(Mark(Focus(1), text="half \ud83d, 中文\n\x1b")), _TRACE)
    save_structure(path, ENTRIES, _TRACE, [])
    remembered = load_notes(path, _TRACE), load_structure(path)
    monkeypatch.setattr(notes_file, "_READ", {})
    assert (load_notes(path, _TRACE), load_structure(path)) == remembered
    assert json.loads(path.read_text(encoding="utf-8"))["structure"] == ENTRIES


def _first(marks: list[Mark]) -> Mark | None:
    return marks[0] if marks else None


def _by_hand(marks: list[Mark]) -> list[Mark]:
    return sorted(marks, key=lambda mark: (mark.focus.step, mark.bookmark or 0))


@given(st.data())
def test_every_change_is_what_sorting_all_marks_would_make(data: st.DataObject) -> None:
    notes, marks = Notes(), list[Mark]()
    for _ in range(data.draw(st.integers(0, 12))):
        step = data.draw(st.integers(0, 4))
        way = data.draw(st.sampled_from(("mark", "bookmark", "text", "without") if marks else ("mark", "bookmark")))
        if way == "mark":
            made = Mark(Focus(step), data.draw(st.sampled_from((None, step + 2))))
            notes, marks = notes.with_mark(made), _by_hand([*marks, made])
        elif way == "bookmark":
            number = data.draw(st.integers(1, 3))
            old = next((mark for mark in marks if mark.bookmark == number), None)
            marks = [mark for mark in marks if mark is not old]
            if old is None or old.focus != Focus(step):
                marks = _by_hand([*marks, Mark(Focus(step), None, old.text if old else "", number)])
            notes = notes.with_bookmark(number, Focus(step))
        else:
            row = data.draw(st.integers(0, len(marks) - 1))
            if way == "text":
                notes = notes.with_text(notes.marks[row], "new")
                marks[row] = dataclasses.replace(marks[row], text="new")
            else:
                notes = notes.without(notes.marks[row])
                del marks[row]
        assert list(notes.marks) == marks
        assert [notes.row(mark) for mark in notes.marks] == [*range(len(marks))]
    for step in range(-1, 6):
        after = [mark for mark in marks if mark.focus.step > step]
        before = [mark for mark in marks if mark.focus.step < step]
        assert (notes.beside(step, 1), notes.beside(step, -1)) == (_first(after), _first(before[::-1]))
        here = [mark for mark in marks if mark.focus.step == step]
        assert notes.any_at(step) == _first(here)
        assert notes.at(step) == _first([mark for mark in here if mark.bookmark is None])


def test_a_mark_of_others_changes_nothing() -> None:
    other = Mark(Focus(5), text="here it begins")
    assert other in _NOTES.marks
    assert _NOTES.row(other) == -1
    assert _NOTES.without(other) == _NOTES.with_text(other, "new") == _NOTES


def test_only_what_changed_is_written_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, written, line = tmp_path / "a.notes.json", [], notes_format._line
    monkeypatch.setattr(notes_format, "_line", lambda mark: (written.append(mark), line(mark))[1])
    kept = save_notes(path, _NOTES, _TRACE)
    assert written == list(_NOTES.marks)
    written.clear()
    changed = kept.with_text(kept.marks[1], "new")
    kept = save_notes(path, changed, _TRACE, kept)
    assert written == [changed.marks[1]]
    text = path.read_text(encoding="utf-8")
    notes_file._READ.clear()
    assert load_notes(path, _TRACE) == changed
    save_notes(path, changed, _TRACE)
    assert path.read_text(encoding="utf-8") == text
