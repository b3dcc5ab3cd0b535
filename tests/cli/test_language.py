"""`--lang` and the locale: help, facts, errors and argparse's own words in Chinese; scripts read the same JSON keys."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from visualizer.cli.main import build_parser, main
from visualizer.language import use

_ENGLISH = re.compile(r"\b(the|is|of|with|was|has)\b")


def _help(command: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    with pytest.raises(SystemExit) as left:
        main([*command, "--help"])
    assert left.value.code == 0
    return capsys.readouterr().out


@pytest.mark.parametrize("command", [[], *([name] for name in ("open", "record", "show", "diagnose", "explore"))])
def test_help_is_chinese_and_keeps_every_option(command: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    english = _help(command, capsys)
    chinese = _help(["--lang", "zh", *command], capsys)
    assert "用法：" in chinese
    assert not _ENGLISH.search(chinese), chinese
    assert set(re.findall(r"--[a-z-]+", english)) <= set(re.findall(r"--[a-z-]+", chinese))


def test_the_option_may_stand_behind_the_command(lesson_file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", str(lesson_file), "--lang", "zh"]) == 0
    assert "调整" in capsys.readouterr().out
    assert main(["show", str(lesson_file)]) == 0
    assert "reconciled" in capsys.readouterr().out


def test_the_locale_chooses_the_language(
    lesson_file: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("LC_ALL", "zh_CN.UTF-8")
    main(["diagnose", str(lesson_file)])
    assert capsys.readouterr().out == "无问题：运行已完成，没有诊断出问题\n"
    main(["--lang", "en", "diagnose", str(lesson_file)])
    assert capsys.readouterr().out == "clean: the run completed, no findings\n"


def test_an_unknown_language_is_refused_in_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as left:
        main(["--lang", "fr", "doctor"])
    assert left.value.code == 2
    assert "en" in capsys.readouterr().err.splitlines()[-1]


def test_errors_are_chinese(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--lang", "zh", "show"])
    assert capsys.readouterr().err.splitlines()[-1] == "phasescope show：错误：缺少必需的参数：TRACE"
    assert main(["--lang", "zh", "record", "-o", str(tmp_path)]) == 2
    assert "是一个目录" in capsys.readouterr().err


def test_json_keeps_its_keys_and_words_and_explains_in_the_language(capsys: pytest.CaptureFixture[str]) -> None:
    documents = {}
    for language in ("en", "zh"):
        main(["--lang", language, "diagnose", "--program", "baseline", "--fault", "F06", "--json"])
        documents[language] = json.loads(capsys.readouterr().out)
    english, chinese = documents["en"]["findings"][0], documents["zh"]["findings"][0]
    assert chinese["verdict"] == "STARVED"
    assert chinese["severity"] == "error"
    assert {name for name in english if english[name] != chinese[name]} == {"cause", "effects", "owed", "released_by"}
    assert "producer 必须反相起步" in chinese["cause"]


def test_columns_line_up_though_chinese_characters_are_wide(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--lang", "zh", "explore", "--exhaustive", "--tiles", "2"]) == 0
    table = capsys.readouterr().out.split("\n\n")[1].splitlines()
    head, row = table[0], table[1]
    assert head.startswith("结果")
    assert row.startswith("clean")
    assert len(head.split("最终状态")[0]) + 2 == len(row) - len(row.split(None, 1)[1])


def test_a_recording_does_not_name_the_language_as_its_command(tmp_path: Path) -> None:
    from visualizer.recording.file import load

    main(["--lang", "zh", "record", "-o", str(tmp_path / "run.pscope")])
    assert "--lang" not in load(tmp_path / "run.pscope").meta.command


def test_the_parser_can_be_built_in_either_language() -> None:
    use("zh")
    assert "流水线" in build_parser().format_help()
    use("en")
    assert "pipeline" in build_parser().format_help()
