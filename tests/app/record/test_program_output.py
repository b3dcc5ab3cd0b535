"""What a program prints comes as plain text, is bounded, and does not outlive the program."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator

import pytest

from visualizer.app.record.program_output import ProgramOutput


@pytest.fixture
def output() -> Iterator[ProgramOutput]:
    made = ProgramOutput()
    yield made
    made.file.close()


def test_text_is_plain(output: ProgramOutput) -> None:
    output.file.write("50 %\r\x1b[32m100 %\x1b[0m\r\nübrig \x07\xff".encode())
    output.file.write(b"\xff")
    output.close()
    assert output.take() == "50 %\n100 %\nübrig \\x07ÿ\N{REPLACEMENT CHARACTER}"
    assert output.take() == ""


def test_of_too_much_the_end_is_kept_and_the_rest_counted(output: ProgramOutput) -> None:
    for _ in range(5):
        output.file.write(b"x" * 65536)
    output.file.write(b"end")
    output.close()
    first, _, rest = output.take().partition("\n")
    assert first == "(65539 characters left out)"
    assert rest == "x" * (4 * 65536 - 3) + "end"


def test_who_holds_the_pipe_is_not_waited_for(output: ProgramOutput) -> None:
    with subprocess.Popen(["sh", "-c", "echo hello; exec sleep 1000"], stdout=output.file) as left_behind:
        while not (text := output.take()):
            pass
        output.close()
        assert text == "hello\n"
        assert left_behind.poll() is None
        left_behind.kill()
