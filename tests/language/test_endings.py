"""Sentences that recordings keep in English, shown in the current language."""

from __future__ import annotations

import re
from time import process_time

import pytest

from visualizer.language import endings, recorded, tr, use
from visualizer.programs.faults import faulty_baseline, find_fault
from visualizer.sources.simulator.simulate import simulate


@pytest.mark.parametrize("template", endings.SENTENCES)
def test_every_sentence_is_known_again_with_what_it_says(template: str) -> None:
    values = {name: f"{number}x" for number, name in enumerate(re.findall(r"\{(\w+)\}", template))}
    sentence = template.format(**values)
    assert recorded(sentence) == sentence
    use("zh")
    assert recorded(sentence) == tr(template, **values) != sentence


def test_a_simulated_deadlock_is_recorded_in_english_and_told_in_chinese() -> None:
    use("zh")
    ending = simulate(faulty_baseline(find_fault("F06"))).meta.ending
    assert "nothing that could complete it is left to happen" in ending.detail
    assert "不再有任何事情能使它完成" in recorded(ending.detail)


def test_an_undefined_operation_is_told_within_its_sentence() -> None:
    use("zh")
    sentence = "undefined behaviour: P on full[0]: arrive(1) while only 0 of 1 arrivals are pending"
    assert recorded(sentence) == "未定义行为：P 在 full[0] 上：arrive(1)，而只有 0 次（共 1 次）arrive 处于 pending"


def test_what_a_driver_says_stays() -> None:
    use("zh")
    assert recorded("CUDA_ERROR_LAUNCH_FAILED") == "CUDA_ERROR_LAUNCH_FAILED"


def test_a_sentence_made_to_be_slow_is_not() -> None:
    use("zh")
    began = process_time()
    for template in endings.SENTENCES:
        pieces = re.split(r"\{\w+\}", template)
        for length in (100, 400, 1500):
            recorded("".join(piece * 3 + " on with parity" * (length // 15) for piece in pieces))
            recorded(pieces[0] + "a " * length + pieces[-1] + "!")
    assert process_time() - began < 2
