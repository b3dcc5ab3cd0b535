"""Catalogues: lookup, plurals, fields, the locale's wish, and what is refused."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from visualizer import language


def test_english_is_the_message_itself() -> None:
    assert language.tr("stage {stage} is full", stage=2) == "stage 2 is full"
    assert language.trn("{n} event", "{n} events", 1) == "1 event"
    assert language.trn("{n} event", "{n} events", 3) == "3 events"


def test_chinese_comes_from_the_catalogue_and_has_one_plural() -> None:
    language.use("zh")
    assert language.trn("{n} event", "{n} events", 1) == "1 个事件"
    assert language.trn("{n} event", "{n} events", 3) == "3 个事件"


def test_a_message_without_translation_stays_english() -> None:
    language.use("zh")
    assert language.tr("no such message {x}", x=1) == "no such message 1"


@pytest.mark.parametrize(
    ("environment", "code"),
    [
        ({"LANG": "zh_CN.UTF-8"}, "zh"),
        ({"LANG": "zh_CN.UTF-8", "LC_ALL": "en_GB.UTF-8"}, "en"),
        ({"LANG": "de_DE.UTF-8"}, "en"),
        ({"LANG": "C"}, "en"),
        ({}, "en"),
        ({"LANG": "de_DE.UTF-8", "PHASESCOPE_LANG": "zh"}, "zh"),
        ({"LANG": "zh_CN.UTF-8", "PHASESCOPE_LANG": "en"}, "en"),
        ({"LANG": "zh_CN.UTF-8", "PHASESCOPE_LANG": "xx"}, "zh"),
    ],
)
def test_the_locale_chooses(environment: dict[str, str], code: str) -> None:
    assert language.preferred(environment) == code


def test_an_unknown_language_is_refused() -> None:
    with pytest.raises(ValueError, match="choose one of en, zh"):
        language.use("xx")


def test_english_costs_no_catalogue(lesson_file: Path) -> None:
    program = (
        "import sys; from visualizer.cli.main import main; "
        f"main(['show', {str(lesson_file)!r}]); sys.exit('babel' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", program], capture_output=True, check=False).returncode == 0


def test_what_is_shown_is_known_by_its_message() -> None:
    assert language.messages_shown("zh")["下一个事件"] == "Next event"
    assert language.messages_shown("en")["Next event"] == "Next event"
    language.use("zh")
    assert language.shown_as("Next event", "zh") == "下一个事件"
    assert language.shown_as("Next event", "en") == "Next event"
