"""What the sources can be asked, as command-line options: each source's own, and those that several of them share."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any

from visualizer.language import tr
from visualizer.sources.option import Choice, Kind
from visualizer.sources.registry import all_options


def add_source_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of all sources under their headings; `options_from` reads them back."""
    groups: dict[str, argparse._ArgumentGroup] = {}
    for option in all_options():
        title, help = option.group.title, option.group.help
        if title not in groups:
            groups[title] = parser.add_argument_group(tr(title), tr(help) if help else None)
        groups[title].add_argument(
            option.flag,
            dest=option.name,
            type=_parsed_by(option.kind),
            choices=option.kind.values if isinstance(option.kind, Choice) else None,
            metavar=option.metavar,
            help=option.explained(),
        )


def options_from(args: argparse.Namespace) -> dict[str, Any]:
    """The options that were given, by name."""
    given = {option.name: getattr(args, option.name) for option in all_options()}
    return {name: value for name, value in given.items() if value is not None}


def _parsed_by(kind: Kind) -> Callable[[str], Any]:
    """argparse shows the sentence of an ArgumentTypeError alone."""

    def parse(text: str) -> Any:
        try:
            return kind.parse(text)
        except ValueError as error:
            raise argparse.ArgumentTypeError(str(error)) from None

    return parse
