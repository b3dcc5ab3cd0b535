"""The seam between who asks for a recording and what makes it: a source that nobody knew is asked like any other."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from made_up_source import made_up_source

from visualizer.cli.main import main
from visualizer.programs.errors import ProgramError
from visualizer.recording.file import load
from visualizer.sources.errors import SourceError
from visualizer.sources.option import Choice, Names, Option, Roles, Seconds, Tiles, Whole
from visualizer.sources.registry import DEFAULT, SOURCES, all_options, check, record
from visualizer.sources.runner import process
from visualizer.sources.source import Request

_DOCS = Path(__file__).parents[2] / "docs" / "recording.md"
_OPTIONS = [(source.name, option) for source in SOURCES.values() for option in source.options]


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[Request]:
    """What a source that exists in this test alone is asked to record."""
    requests: list[Request] = []
    monkeypatch.setitem(SOURCES, "bench", made_up_source(requests))
    return requests


def test_the_command_line_records_from_a_source_it_never_heard_of(
    asked: list[Request], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "b.pscope"
    words = ["--stages", "2", "--boards", "3", "--mood", "wild", "--warm-up", "2.5"]
    assert main(["record", "--source", "bench", *words, "-o", str(path)]) == 0
    assert asked == [Request(None, {"stages": 2}, None, {"boards": 3, "mood": "wild", "warm_up_s": 2.5})]
    assert load(path).meta.source == {"kind": "bench"}
    assert len(capsys.readouterr().out.splitlines()) == 2, "the summary, and how far its times are to be trusted"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--source", "bench", "--boards", "5"), "phasescope: --boards is 5; the bench has 4"),
        (("--source", "bench", "--seed", "1"), "phasescope: --seed applies to --source simulator only"),
        (("--source", "bench", "--keep-last", "1"), "phasescope: --keep-last applies to --source simulator, gpu only"),
        (("--boards", "2"), "phasescope: --boards applies to --source bench only"),
        (("--source", "gpu", "--mood", "wild"), "phasescope: --mood applies to --source bench only"),
        (("--source", "bench", "--boards", "0"), "argument --boards: '0' is not a whole number of at least 1"),
        (("--source", "bench", "--warm-up", "nan"), "argument --warm-up: 'nan' is not a number of at least 1"),
        (("--source", "bench", "--mood", "odd"), "argument --mood: invalid choice: 'odd'"),
        (("--source", "nowhere"), "argument --source: invalid choice: 'nowhere'"),
    ],
    ids=str,
)
def test_what_is_wrong_is_one_sentence_and_nothing_is_recorded(
    asked: list[Request], tmp_path: Path, capsys: pytest.CaptureFixture[str], words: tuple[str, ...], said: str
) -> None:
    path = tmp_path / "b.pscope"
    try:
        status = main(["record", *words, "-o", str(path)])
    except SystemExit as stop:
        status = int(stop.code or 0)
    assert status == 2
    assert said in capsys.readouterr().err.splitlines()[-1]
    assert asked == []
    assert not path.exists()


def test_what_a_source_refuses_is_refused_by_whoever_asks(asked: list[Request]) -> None:
    with pytest.raises(SourceError, match="the bench has 4"):
        check("bench", Request(options={"boards": 5}))
    with pytest.raises(SourceError, match="the bench has 4"):
        record("bench", Request(options={"boards": 5}))
    assert asked == []
    with pytest.raises(SourceError, match="--level is 'loud'; it must be one of off, phases"):
        check("gpu", Request(options={"level": "loud"}))
    with pytest.raises(ProgramError, match="--stages is 9"):
        check("gpu", Request(parameters={"stages": 9}))


def test_a_request_lays_its_program_out_once() -> None:
    request = Request("lesson", {"tiles": 4})
    assert request.laid_out is None
    assert request.lay_out().config["tiles"] == 4
    assert request.laid_out is request.lay_out()
    assert request == Request("lesson", {"tiles": 4}), "what was laid out is no part of what was asked"


@pytest.mark.parametrize("name", SOURCES)
def test_every_source_tells_its_options_in_the_help(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["record", "--help"])
    told = " ".join(capsys.readouterr().out.split())
    assert re.search(rf"--source \{{[^}}]*\b{name}\b", told)
    for option in SOURCES[name].options:
        assert option.flag in told
        assert option.explained() in told


def documented(option: Option) -> str:
    """The option's row in docs/recording.md."""
    word = "\\|".join(option.kind.values) if isinstance(option.kind, Choice) else option.metavar
    of = ", ".join(name for name, source in SOURCES.items() if option in source.options)
    return f"| `{option.flag} {word}` | {of} | {option.explained()} |"


def test_every_option_is_documented() -> None:
    rows = [line for line in _DOCS.read_text(encoding="utf-8").splitlines() if line.startswith("| `--")]
    assert rows == [documented(option) for option in all_options()]


@pytest.mark.parametrize(("source", "option"), _OPTIONS, ids=lambda value: getattr(value, "flag", value))
def test_an_option_is_whole(source: str, option: Option) -> None:
    """The names are one to one, so that what the command line and the window collect can be told apart."""
    same = [other for other in all_options() if other.name == option.name or other.flag == option.flag]
    assert same == [option]
    assert option.explained()
    assert bool(option.title) or not option.fields
    assert len(option.fields) in ((0, 2) if isinstance(option.kind, Tiles) else (0, 1))


@pytest.mark.parametrize(
    ("kind", "text", "value"),
    [
        (Whole(), "7", 7),
        (Seconds(), "2.5", 2.5),
        (Seconds(), "120", 120.0),
        (Choice(("a", "b")), "b", "b"),
        (Names(), "full[0],empty[2]", ("full[0]", "empty[2]")),
        (Roles(("producer", "consumer")), "producer,consumer", ("producer", "consumer")),
        (Tiles(9), "3:7", (3, 7)),
        (Tiles(9), "3:", (3, -1)),
    ],
    ids=str,
)
def test_a_value_becomes_the_words_it_is_read_from(kind: Whole, text: str, value: object) -> None:
    assert kind.parse(text) == value
    assert kind.text(value) == text  # type: ignore[arg-type]


def test_the_simulator_is_where_none_is_chosen() -> None:
    assert next(iter(SOURCES)) == DEFAULT == "simulator"


@pytest.mark.parametrize(
    "line", [b"{}", b"[]", b"3", b'{"progress": 1}', b'{"message": "x"}', b"\xff", b'{"failed": 1}']
)
def test_what_a_library_prints_in_a_worker_is_no_message(line: bytes) -> None:
    assert process._parse(line) is None
