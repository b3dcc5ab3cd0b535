"""Which letters find which names, and which of two names is nearer."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from visualizer.app.commands.fuzzy import fit


def test_nearer_names_have_lower_ranks() -> None:
    assert fit("save", "Save…") == 0
    assert fit("event last", "Last event") == 1
    assert fit("le", "Last event") == 2
    assert fit("laev", "Last event") == 2
    assert fit("lsvt", "Last event") == 3
    assert fit("xyzzy", "Last event") is None
    assert fit("el", "Last event") is None


def test_words_may_be_left_out_and_punctuation_parts_them() -> None:
    assert fit("f1", "full[1]") == 2
    assert fit("cw2", "consumer.w2") == 2
    assert fit("pis", "The producer starts in phase") is None  # not in this order
    assert fit("psp", "The producer starts in phase") == 2


@given(st.lists(st.text("abcdefgh", min_size=1, max_size=6), min_size=1, max_size=6), st.data())
def test_beginnings_of_words_find_a_name(words: list[str], data: st.DataObject) -> None:
    taken = [word[: data.draw(st.integers(0, len(word)))] for word in words]
    rank = fit("".join(taken), " ".join(words))
    assert rank is not None
    assert rank <= 2


@given(st.text("ab ", max_size=12), st.text("ab .", max_size=12))
def test_what_fits_has_its_letters_in_this_order(typed: str, name: str) -> None:
    rank = fit(typed, name)
    rest = iter(name)
    in_order = all(letter in rest for letter in typed.replace(" ", ""))
    if rank == 1:
        assert all(word in name for word in typed.split())
    else:
        assert (rank is not None) == in_order
