"""`record --probe`: what is asked for reaches the launcher, and what cannot be is refused before anything runs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest

from visualizer.programs.parameters import LessonConfig
from visualizer.sources.errors import SourceError
from visualizer.sources.lesson import launcher
from visualizer.sources.lesson.job import Job
from visualizer.sources.lesson.launcher import record_gpu
from visualizer.sources.lesson.options import GpuOptions
from visualizer.sources.lesson.probing import MOST_RUNS, chosen_barriers, runs_per_barrier
from visualizer.sources.lesson.window import EVERYTHING
from visualizer.sources.lesson.worker import Unable, _check_memory


def test_the_simulator_has_no_probe(phasescope: Callable, tmp_path: Path) -> None:
    outcome = phasescope("record", "--probe", "words", "-o", tmp_path / "x.pscope")
    assert outcome.status == 2
    assert "--probe applies to --source gpu only" in outcome.err
    outcome = phasescope("record", "--probe-barriers", "full[0]", "-o", tmp_path / "x.pscope")
    assert "--probe-barriers applies to --source gpu only" in outcome.err


def test_options_reach_the_launcher(phasescope: Callable, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[GpuOptions] = []

    def record(config: Any, options: GpuOptions, **others: Any) -> None:
        seen.append(options)
        raise SourceError("enough")

    monkeypatch.setattr(launcher, "record_gpu", record)
    words = ("--source", "gpu", "--probe", "flips", "--probe-barriers", "full[0], empty[2]")
    phasescope("record", *words, "-o", tmp_path / "x.pscope")
    assert seen[0].probe == "flips"
    assert seen[0].probe_barriers == ("full[0]", "empty[2]")


def test_barriers_without_a_probe_are_a_mistake(phasescope: Callable, tmp_path: Path) -> None:
    outcome = phasescope("record", "--source", "gpu", "--probe-barriers", "full[0]", "-o", tmp_path / "x.pscope")
    assert outcome.status == 2
    assert "it needs --probe words or --probe flips" in outcome.err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--level", "off"), "--level off leaves some to estimates: use --level full or --level words"),
        (("--level", "standard"), "--level standard leaves some to estimates"),
        (("--keep-last", "3"), "looks at a whole run: leave out --window, --keep-last, --every-cta and --roles"),
        (("--every-cta", "2"), "looks at a whole run"),
    ],
    ids=str,
)
def test_a_probe_wants_a_whole_log_of_every_arrival(
    options: tuple[str, ...], message: str, phasescope: Callable, tmp_path: Path
) -> None:
    words = ("--source", "gpu", "--ctas", "4", "--probe", "words", *options)
    outcome = phasescope("record", *words, "-o", tmp_path / "x.pscope")
    assert outcome.status == 2
    assert message in outcome.err


def test_an_unknown_barrier_is_named_with_those_there_are() -> None:
    with pytest.raises(SourceError) as caught:
        record_gpu(LessonConfig(), GpuOptions(probe="words", probe_barriers=("full[3]",)))
    assert str(caught.value) == (
        "--probe-barriers names 'full[3]'; with 3 stages it must be among full[0]..full[2] and empty[0]..empty[2],"
        " separated by commas"
    )


@pytest.mark.parametrize(("names", "bits"), [((), 0b111111), (("full[0]",), 1), (("empty[2]", "full[1]"), 0b100010)])
def test_chosen_barriers_are_bits(names: tuple[str, ...], bits: int) -> None:
    assert chosen_barriers(LessonConfig(), names) == bits
    assert chosen_barriers(LessonConfig(ctas=4), names) == bits


def test_room_for_every_run_of_a_short_kernel_and_a_bound_for_a_long_one() -> None:
    # 8 tiles in 3 stages: up to 4 phases, each with 8 granules of bytes and what begins and ends it.
    assert runs_per_barrier(LessonConfig()) == 4 * 11
    assert runs_per_barrier(LessonConfig(tiles=1_000_000)) == MOST_RUNS


def test_the_probes_room_counts_towards_what_must_fit() -> None:
    config = LessonConfig(ctas=132)
    job = Job(
        config=config.as_dict(),
        check="off",
        level="full",
        log_capacity=4,
        watchdog_ms=0,
        output="raw.npz",
        window=asdict(EVERYTHING),
        ab_pairs=0,
        fault=0,
        flight="",
        mapped=False,
        probe="words",
        probe_capacity=MOST_RUNS,
    )
    needed = 132 * 6 * MOST_RUNS * 16
    with pytest.raises(Unable, match=r"the log needs 0\.2 GB"):
        _check_memory(config, job, needed)
    _check_memory(config, job, 2 * needed)
    _check_memory(config, replace(job, probe="off"), needed // 100)
