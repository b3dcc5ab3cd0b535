"""Two windows with notes on one recording: what either of them did is in the file in the end."""

from __future__ import annotations

import json
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pane_testing import LAST, hand_trace

from visualizer.playback import notes_file, notes_format
from visualizer.playback.focus import Focus
from visualizer.playback.notes import Mark, Notes, SavedBreakpoint
from visualizer.playback.notes_file import NotesError, load_notes, notes_path, save_notes
from visualizer.playback.notes_merge import entries_beyond, merged, merged_entries
from visualizer.recording.replacing import alone_in

_TRACE = hand_trace()
_BASE = Notes.of([Mark(Focus(1), text="one"), Mark(Focus(2), text="two")], [SavedBreakpoint("blocked")])


def test_additions_and_removals_of_both_are_so() -> None:
    mine = _BASE.without(_BASE.marks[0]).with_mark(Mark(Focus(5)))
    theirs = _BASE.with_bookmark(3, Focus(9)).with_breakpoints([SavedBreakpoint("tile == 1")])
    both = merged(_BASE, mine, theirs)
    assert [mark.focus.step for mark in both.marks] == [2, 5, 9]
    assert [one.query for one in both.breakpoints] == ["tile == 1"]
    assert both == merged(_BASE, theirs, mine)


def test_of_a_mark_that_both_wrote_on_both_texts_stay() -> None:
    mine, theirs = (_BASE.with_text(_BASE.marks[0], text) for text in ("one, mine", "one, theirs"))
    assert merged(_BASE, mine, theirs).marks[0].text == "one, theirs\none, mine"


def test_what_one_wrote_on_while_the_other_took_it_away_stays() -> None:
    written, gone = _BASE.with_text(_BASE.marks[0], "more"), _BASE.without(_BASE.marks[0])
    for mine, theirs in ((written, gone), (gone, written)):
        assert merged(_BASE, mine, theirs).marks[0].text == "more"


def test_a_bookmark_that_both_set_is_mine_and_theirs_stays_as_a_mark() -> None:
    both = merged(Notes(), Notes().with_bookmark(1, Focus(4)), Notes().with_bookmark(1, Focus(8)))
    assert both.marks == (Mark(Focus(4), bookmark=1), Mark(Focus(8)))


_NOTES = st.builds(
    Notes.of,
    st.lists(st.builds(Mark, st.builds(Focus, st.integers(0, 3)), text=st.sampled_from(["", "a", "b"])), max_size=4),
    st.lists(st.builds(SavedBreakpoint, st.sampled_from(["a", "b"]), st.booleans()), unique_by=lambda one: one.query),
)


@given(_NOTES, _NOTES, _NOTES)
def test_no_text_that_is_new_is_lost(base: Notes, mine: Notes, theirs: Notes) -> None:
    both = merged(base, mine, theirs)
    for notes in (mine, theirs):
        new = {(mark.focus, mark.text) for mark in notes.marks} - {(mark.focus, mark.text) for mark in base.marks}
        for focus, text in new:
            assert any(mark.focus == focus and text in mark.text for mark in both.marks)
    assert merged(base, mine, base) == mine
    assert merged(base, base, theirs) == theirs


_ENTRIES = st.lists(st.sampled_from([{"ring": "a", "name": "b"}, {"agents": ["p"], "role": "mma"}, 3, "x"]), max_size=5)


@given(_ENTRIES, _ENTRIES, _ENTRIES)
def test_of_entries_on_the_structure_none_is_lost_and_what_was_taken_back_is_gone(
    base: list[object], mine: list[object], theirs: list[object]
) -> None:
    def count(entries: list[object]) -> Counter[str]:
        return Counter(map(repr, entries))

    both = count(merged_entries(base, mine, theirs))
    for says in count([*base, *mine, *theirs]):
        was, one, other = (count(entries)[says] for entries in (base, mine, theirs))
        more, fewer = max(one, other, was) - was, min(one, other, was) - was
        assert both[says] == was + more + fewer
    assert merged_entries(base, mine, base) == [*entries_in_order(base, mine)]
    assert merged_entries(base, base, theirs) == theirs
    assert count(entries_beyond(mine, base)) == count(mine) - count(base)


def entries_in_order(base: list[object], mine: list[object]) -> list[object]:
    """Those of the base that are left, then those that are new."""
    left, new, known = list(mine), list(mine), []
    for entry in base:
        if entry in left:
            left.remove(entry)
            new.remove(entry)
            known.append(entry)
    return known + new


def test_many_windows_at_once_lose_nothing(tmp_path: Path) -> None:
    path = notes_path(tmp_path / "run.pscope")

    def window(number: int) -> None:
        notes = kept = Notes()
        for step in range(number, min(LAST, 24), 4):
            notes = kept = save_notes(path, notes.with_mark(Mark(Focus(step), text=str(number))), _TRACE, kept)

    with ThreadPoolExecutor(4) as windows:
        list(windows.map(window, range(4)))
    found = load_notes(path, _TRACE)
    assert [mark.focus.step for mark in found.marks] == list(range(min(LAST, 24)))
    assert [entry.name for entry in tmp_path.iterdir()] == [path.name]


def test_the_last_note_of_one_does_not_take_the_other_s_file(tmp_path: Path) -> None:
    path = notes_path(tmp_path / "run.pscope")
    mine = save_notes(path, Notes().with_mark(Mark(Focus(1))), _TRACE, Notes())
    save_notes(path, mine.with_mark(Mark(Focus(2))), _TRACE, mine)
    assert save_notes(path, Notes(), _TRACE, mine).marks == (Mark(Focus(2)),)
    assert path.exists()


def test_a_writer_that_never_ends_is_told_of(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("visualizer.recording.replacing._PATIENCE_S", 0)
    with alone_in(tmp_path), pytest.raises(NotesError, match="another phasescope is writing there"):
        save_notes(notes_path(tmp_path / "run.pscope"), _BASE, _TRACE)


def test_half_of_a_surrogate_pair_is_no_reason_to_lose_a_note(tmp_path: Path) -> None:
    path = notes_path(tmp_path / "run.pscope")
    save_notes(path, Notes().with_mark(Mark(Focus(1), text="pasted \ud83d")), _TRACE)
    assert load_notes(path, _TRACE).marks[0].text == "pasted ?"
    document = json.loads(path.read_text())
    document["marks"][0]["text"] = "\ud83d"
    path.write_text(json.dumps(document))
    with pytest.raises(NotesError, match="text must be a text"):
        load_notes(path, _TRACE)


def test_more_marks_than_a_list_shows_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = notes_path(tmp_path / "run.pscope")
    save_notes(path, _BASE, _TRACE)
    monkeypatch.setattr(notes_format, "MOST_MARKS", 1)
    monkeypatch.setattr(notes_file, "_READ", {})
    with pytest.raises(NotesError, match="more than 1 marks"):
        load_notes(path, _TRACE)
