"""What of a source file is coloured: in which languages, on which lines, counted as Qt counts."""

from __future__ import annotations

import subprocess
import sys

import pytest

from visualizer.views.code import code_tokens as model
from visualizer.views.code.code_tokens import CodeToken, code_tokens


def pieces(name: str, text: str) -> list[tuple[str, str]]:
    """The coloured pieces of a text of one line, each with its kind."""
    return [(text[token.start : token.start + token.length], token.kind) for token in code_tokens(name, text)]


def test_cuda_words_are_keywords_beside_those_of_cpp() -> None:
    text = "template <class T> __global__ void __launch_bounds__(128) k(const __grid_constant__ T x, half h)"
    assert [piece for piece, kind in pieces("k.cu", text) if kind == "keyword"] == [
        "template", "class", "__global__", "void", "__launch_bounds__", "const", "__grid_constant__", "half",
    ]  # fmt: skip
    assert pieces("k.cu", "if (threadIdx.x < 32u) __syncwarp();") == [
        ("if", "keyword"),
        ("threadIdx", "keyword"),
        ("32u", "number"),
        ("__syncwarp", "keyword"),
    ]


def test_a_string_with_its_escapes_is_one_piece() -> None:
    assert pieces("k.cu", r'asm("add\n" "x");') == [("asm", "keyword"), (r'"add\n"', "string"), ('"x"', "string")]


def test_the_preprocessor() -> None:
    assert pieces("k.cu", '#include "mbarrier.cuh"') == [("#include", "keyword"), ('"mbarrier.cuh"', "string")]


def test_python() -> None:
    assert pieces("mine.py", "return not len(f'{x}') // 2  # half") == [
        ("return", "keyword"),
        ("not", "keyword"),
        ("len", "keyword"),
        ("f'{", "string"),
        ("}'", "string"),
        ("2", "number"),
        ("# half", "comment"),
    ]


def test_ptx() -> None:
    assert pieces("k.ptx", "@%p1 bra $L__BB0_2; // again") == [("bra", "keyword"), ("// again", "comment")]


@pytest.mark.parametrize("name", ["k.cu", "kernels/k.cuh", "k.h", "k.hpp", "k.cpp", "K.CU", r"C:\code\k.cu"])
def test_the_ending_says_that_it_is_cpp(name: str) -> None:
    assert pieces(name, "int x;") == [("int", "keyword")]


@pytest.mark.parametrize("name", ["notes.txt", "Makefile", "", "cu", ".cu"])
def test_other_files_stay_uncoloured(name: str) -> None:
    assert code_tokens(name, "int x = 1; // one") == ()


def test_a_comment_over_lines_is_a_piece_on_each_that_has_text() -> None:
    assert code_tokens("k.cu", "x /* a\n\n  b */ 7") == (
        CodeToken(0, 2, 4, "comment"),
        CodeToken(2, 0, 6, "comment"),
        CodeToken(2, 7, 1, "number"),
    )


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r", "\u2029"])
def test_lines_end_where_qt_ends_them(end: str) -> None:
    assert code_tokens("k.cu", f"int a;{end}{end}int b;") == (
        CodeToken(0, 0, 3, "keyword"),
        CodeToken(2, 0, 3, "keyword"),
    )


def test_a_character_of_two_utf16_units_counts_as_two() -> None:
    assert code_tokens("k.cu", "/* 🚀 */ int x;") == (CodeToken(0, 0, 8, "comment"), CodeToken(0, 9, 3, "keyword"))


@pytest.mark.parametrize(
    "text", ["/* never closed\nint", '"never closed', "'", 'R"(x', "#", "\\", "@ ` \x00 \ufeff int"]
)
@pytest.mark.parametrize("name", ["k.cu", "k.py", "k.ptx"])
def test_pieces_lie_within_their_lines_whatever_the_text(name: str, text: str) -> None:
    lines = text.split("\n")
    for token in code_tokens(name, text):
        assert token.length > 0
        assert token.start + token.length <= len(lines[token.line])


def test_a_huge_file_is_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(model, "MAX_COLOURED", 10)
    assert code_tokens("k.cu", "int a = 22;") == ()
    assert code_tokens("k.cu", "int a = 2;") != ()


def test_pygments_waits_for_code_to_colour_and_qt_is_not_needed() -> None:
    program = (
        "import sys; from visualizer.views.code.code_tokens import code_tokens;"
        "code_tokens('k.cu', ''), code_tokens('a.txt', 'int'); print('pygments' in sys.modules, end=' ');"
        "code_tokens('k.cu', 'int'); print('pygments' in sys.modules, 'PySide6' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "True", "False"]
