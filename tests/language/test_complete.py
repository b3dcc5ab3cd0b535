"""The translation is complete: every message of the source has one, none is left over, and the fields are the same."""

from __future__ import annotations

import argparse
import re
from string import Formatter

from babel.messages.catalog import Message
from babel.messages.extract import extract_from_file

from visualizer.cli.argparse_words import MESSAGES
from visualizer.language.catalog import translations
from visualizer.language.messages import is_translated, source_messages

_PERCENT = re.compile(r"%(?:\(\w+\))?[sdr]")
_CATALOGUE = {message.id: message for message in translations("zh") if message.id}


def test_no_message_is_missing_and_none_is_left_over() -> None:
    said = {message.id for message in source_messages() if message.id}
    assert not said - set(_CATALOGUE), "run python -m visualizer.language.messages and translate what it lists"
    assert not set(_CATALOGUE) - said, "run python -m visualizer.language.messages"


def test_every_message_is_translated() -> None:
    assert [message.id for message in _CATALOGUE.values() if not is_translated(message)] == []
    assert [message.id for message in _CATALOGUE.values() if message.fuzzy and message.id] == []


def test_a_translation_has_the_fields_of_the_message() -> None:
    wrong = [message.id for message in _CATALOGUE.values() if not all(_fits(message, text) for text in _texts(message))]
    assert wrong == []


def test_the_words_of_this_pythons_argparse_are_known() -> None:
    """Those that a person can see; the rest tell a programmer of a wrong call."""
    found = extract_from_file("python", argparse.__file__, keywords={"_": None, "ngettext": (1, 2)})
    said = {one for _, message, _, _ in found for one in (message if isinstance(message, tuple) else (message,))}
    of_programmers = {text for text in said if not set(MESSAGES) & {text} and _tells_a_programmer(text)}
    assert said - set(MESSAGES) - of_programmers == set()


def _texts(message: Message) -> tuple[str, ...]:
    return tuple(message.string) if isinstance(message.string, tuple | list) else (message.string,)


def _fits(message: Message, text: str) -> bool:
    source = message.id[-1] if isinstance(message.id, tuple) else message.id
    edges = [(one.startswith("\n"), one.endswith("\n")) for one in (source, text)]
    return _fields(text) == _fields(source) and edges[0] == edges[1]


def _fields(text: str) -> list[str]:
    """The {fields} with conversion and format, and %s signs; a translation may say one twice or in another order."""
    named = {f"{{{name}!{conversion}:{spec}}}" for _, name, spec, conversion in _parsed(text) if name is not None}
    return sorted(named) + sorted(_PERCENT.findall(text))


def _parsed(text: str) -> list[tuple[str, str | None, str | None, str | None]]:
    try:
        return list(Formatter().parse(text))
    except ValueError:  # a brace that stands for itself, in a message without fields
        return []


def _tells_a_programmer(text: str) -> bool:
    words = (
        "not defined", "conflict", "with mode", "cannot merge", "invalid argument for", "invalid option string",
        "dest=", "must be optional", "multiple subparser", "not callable",
    )  # fmt: skip
    return any(word in text for word in words)
