"""What a person says of the structure in the sidecar file: every command that opens a recording follows it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from visualizer.playback.notes_file import notes_path
from visualizer.playback.stories.errors import StoryError
from visualizer.playback.stories.model import Source
from visualizer.playback.stories.recordings import Recordings
from visualizer.programs.registry import find_program
from visualizer.recording.file import save
from visualizer.sources.simulator.simulate import simulate
from visualizer.structure.forget import forget

Command = Callable[..., Any]
COMMANDS = [
    ("show",),
    ("show", "--step", 3),
    ("show", "--table"),
    ("show", "--find", "kind == init"),
    ("diagnose",),
    ("stats",),
    ("predict",),
    ("compare", "OTHER"),
    ("export", "-o", "OUT"),
]
RENAME = {"ring": "ring0", "name": "kv"}


@pytest.fixture
def recording(tmp_path: Path) -> Path:
    """The lesson as of a stranger's kernel; the file is `run.pscope`."""
    path = tmp_path / "run.pscope"
    save(forget(simulate(find_program("lesson"))), path)
    return path


def tell(recording: Path, *entries: object) -> Path:
    path = notes_path(recording)
    path.write_text(json.dumps({"structure": entries}), encoding="utf-8")
    return path


def words(command: tuple[object, ...], recording: Path) -> list[object]:
    name, *rest = command
    others = {"OTHER": recording, "OUT": recording.with_suffix(".csv")}
    return [name, recording, *(others.get(str(word), word) for word in rest)]


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: " ".join(map(str, command)))
def test_an_entry_that_cannot_be_is_named_with_its_file_and_the_others_are_followed(
    phasescope: Command, recording: Path, command: tuple[object, ...]
) -> None:
    plain = phasescope(*words(command, recording))
    assert "structure[" not in plain.err
    sidecar = tell(recording, RENAME, {"barriers": ["0x999"], "kind": "order"})
    told = phasescope(*words(command, recording))
    assert told.status == plain.status
    problem = (
        f"{sidecar}: structure[1]: the recording has no barrier '0x999'; the barriers that it names count as unknown"
    )
    assert problem in told.err


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: " ".join(map(str, command)))
def test_a_sidecar_file_that_cannot_be_read_is_an_error(
    phasescope: Command, recording: Path, command: tuple[object, ...]
) -> None:
    notes_path(recording).write_text("{", encoding="utf-8")
    answer = phasescope(*words(command, recording))
    assert answer.status == 2
    assert f"{notes_path(recording)} cannot be read as notes" in answer.err


def test_the_name_is_everywhere_and_survives_a_new_recording_of_the_kernel(
    phasescope: Command, recording: Path
) -> None:
    tell(recording, RENAME)
    for seed in (0, 1):
        save(forget(simulate(find_program("lesson", {"tiles": 12}), seed=seed)), recording)
        (ring,) = json.loads(phasescope("show", recording, "--json").out)["rings"]
        assert (ring["name"], ring["stages"]) == ("kv", 3)
        assert list(json.loads(phasescope("stats", recording, "--json").out)["rings"]) == ["kv"]


def test_barriers_of_a_wrong_entry_are_unknown(phasescope: Command, recording: Path) -> None:
    tell(recording, {"ring": "a", "full": ["0x0", "0x0"]})
    document = json.loads(phasescope("show", recording, "--json").out)
    assert document["structure_problems"] == ["structure[0]: a barrier is in it twice"]
    assert [ring["full"] for ring in document["rings"]] == [[["0x8"], ["0x10"]]]


def test_a_story_follows_it_too(recording: Path) -> None:
    tell(recording, RENAME)
    source = Source(recording="run.pscope")
    assert [ring.name for ring in Recordings(recording.parent).history(source).structure.rings] == ["kv"]
    notes_path(recording).write_text("{", encoding="utf-8")
    with pytest.raises(StoryError, match="cannot be read as notes"):
        Recordings(recording.parent).history(source)
