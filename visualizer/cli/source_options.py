"""What sources can be asked, as command-line options."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable
from typing import Any

from visualizer.language import tr
from visualizer.sources.option import Choice, Kind, Option


def add_source_options(parser: argparse.ArgumentParser, options: Iterable[Option]) -> None:
    """Add these under their headings; `options_from` reads them back."""
    groups: dict[str, argparse._ArgumentGroup] = {}
    for option in options:
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


def options_from(args: argparse.Namespace, options: Iterable[Option]) -> dict[str, Any]:
    """Those that were given, by name."""
    given = {option.name: getattr(args, option.name) for option in options}
    return {name: value for name, value in given.items() if value is not None}


def _parsed_by(kind: Kind) -> Callable[[str], Any]:
    """argparse shows the sentence of an ArgumentTypeError alone."""

    def parse(text: str) -> Any:
        try:
            return kind.parse(text)
        except ValueError as error:
            raise argparse.ArgumentTypeError(str(error)) from None

    return parse
