"""VCD files, read back with vcdvcd: a reader that is not ours."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from structure.random_kernels import random_kernel
from vcdvcd import VCDVCD

from visualizer.export.selection import select
from visualizer.export.vcd import signals
from visualizer.replay.history import AgentActivity, History

LETTERS = {"x": None, "z": -1}


def values(vcd: VCDVCD, signal: str) -> list[tuple[int, int | None]]:
    return [(time, LETTERS[text] if text in LETTERS else int(text, 2)) for time, text in vcd[signal].tv]


def at(changes: list[tuple[int, int | None]], time: int) -> int | None:
    """The value a waveform viewer shows at `time`."""
    return next((value for change, value in reversed(changes) if change <= time), None)


@pytest.fixture
def vcd(recorded: History, write) -> VCDVCD:
    return VCDVCD(str(write(recorded, ".vcd")))


def test_one_unit_is_a_picosecond(vcd: VCDVCD, recorded: History) -> None:
    assert vcd.timescale["magnitude"] == 1
    assert vcd.timescale["unit"] == "ps"
    assert vcd.endtime == recorded.trace.duration_ps


def test_barriers_are_what_the_history_says_at_every_time(vcd: VCDVCD, recorded: History) -> None:
    times = recorded.trace.events["time"]
    last_steps = np.flatnonzero(np.append(times[1:] != times[:-1], True))  # a signal has one value per time
    for row, barrier in enumerate(recorded.trace.barriers):
        scope = barrier.name.replace("[", "_").rstrip("]")
        waves = {name: values(vcd, f"{scope}.{name}") for name in ("phase", "parity", "pending", "tx")}
        for step in last_steps.tolist():
            state = recorded.barrier_at(row, step)
            if state.valid:
                shown = [at(wave, int(times[step])) for wave in waves.values()]
                assert shown == [state.phase, state.parity, state.pending, state.tx], (barrier.name, step)
            else:
                assert at(waves["phase"], int(times[step])) is None


def test_stages_and_cursors(vcd: VCDVCD, recorded: History) -> None:
    producer = recorded.trace.agent_index["producer"]
    tile, index = values(vcd, "stage_1.tile"), values(vcd, "producer.cursor_index")
    for step in range(0, recorded.steps, 5):
        time = int(recorded.trace.events["time"][step])
        state = recorded.state_at(int(np.searchsorted(recorded.trace.events["time"], time, side="right")) - 1)
        assert at(tile, time) == state.stage_tile[1]
        assert at(index, time) == state.cursor_index[producer]


def test_what_agents_do_is_text(recorded: History, write) -> None:
    """Strings are GTKWave's extension, which vcdvcd skips: read as the lines they are."""
    lines = write(recorded, ".vcd").read_text().splitlines()
    code = next(line.split()[3] for line in lines[lines.index("$scope module producer $end") :] if " activity " in line)
    shown = [line.removesuffix(f" {code}")[1:] for line in lines if line.startswith("s") and line.endswith(f" {code}")]
    assert shown[:2] == ["not_started", "running"] or shown[0] == "running"
    assert "waiting_empty_0" in shown
    assert shown[-1] == "exited"


def test_an_activity_knows_the_barriers_that_its_agent_waits_on_alone() -> None:
    """Of a thousand agents and barriers each agent's texts would be as many again."""
    history = History(random_kernel(5).trace)
    texts = [signal for signal in signals(select(history)) if signal.name == "activity"]
    assert len(texts) > 1
    for signal in texts:
        assert signal.names is not None
        assert {value >> 8 for value in signal.names} - {0} <= set((signal.value >> 8).tolist())
        assert set(signal.value.tolist()) <= signal.names.keys()
    assert any(len(signal.names or ()) > len(AgentActivity) for signal in texts)


def test_a_range_begins_with_the_state_it_finds(recorded: History, write) -> None:
    vcd = VCDVCD(str(write(recorded, ".vcd", "100:140", ["full[0]"])))
    assert {name.split(".")[0] for name in vcd.signals} == {"full_0"}
    begin = int(recorded.trace.events["time"][100])
    state = recorded.barrier_at(recorded.trace.barrier_index["full[0]"], 100)
    assert vcd.begintime == begin
    assert at(values(vcd, "full_0.phase"), begin) == state.phase
    assert vcd.endtime == recorded.trace.events["time"][140]


def test_several_ctas_are_scopes(four_ctas: History, write, tmp_path: Path) -> None:
    vcd = VCDVCD(str(write(four_ctas, ".vcd")))
    assert {name.split(".")[0] for name in vcd.signals} == {"cta0", "cta1", "cta2", "cta3"}
    assert "cta3.full_2.pending" in vcd.signals
