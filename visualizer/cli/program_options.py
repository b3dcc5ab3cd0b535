"""The program's parameters as command-line options, generated from the table that also makes the experiment panel."""

from __future__ import annotations

import argparse
import re
from typing import Any

from visualizer.language import tr
from visualizer.programs.program import Parameter, Program
from visualizer.programs.registry import PROGRAMS, all_parameters, find_program

_PARAMETERS = all_parameters()
_DEFAULTS = {parameter.name: parameter.default for parameter in _PARAMETERS}
_TILE = re.compile(r"(\d{1,9})[xX](\d{1,9})")


def add_program_options(parser: argparse.ArgumentParser) -> None:
    """Add --program, --fault, --tile RxC and one option per parameter; `program_from` reads them back."""
    group = parser.add_argument_group(tr("program"))
    group.add_argument(
        "--program",
        metavar="NAME|FILE.py",
        help=tr(
            "which pipeline: {names}, or a file that describes one (default: lesson; with --fault,"
            " the program the fault is told of)",
            names=", ".join(PROGRAMS),
        ),
    )
    group.add_argument(
        "--fault",
        metavar="NAME",
        help=tr("with a mistake in it, by id or name, such as F06 (docs/programs.md lists them)"),
    )
    group.add_argument(
        "--tile",
        type=_tile,
        metavar="RxC",
        help=tr(
            "rows and columns of a tile of halves (default: {tile_rows}x{tile_columns}; rows a"
            " multiple of 8, columns of 64)",
            tile_rows=_DEFAULTS["tile_rows"],
            tile_columns=_DEFAULTS["tile_columns"],
        ),
    )
    for parameter in _PARAMETERS:
        if parameter.option == "--tile":
            continue
        if parameter.is_switch:
            group.add_argument(parameter.option, action="store_true", default=None, help=tr(parameter.help))
        else:
            group.add_argument(
                parameter.option,
                type=int,
                metavar=(parameter.unit or "n").upper(),
                help=_help(parameter),
            )


def parameters_from(args: argparse.Namespace) -> dict[str, Any]:
    """The parameters that were given, of whatever program."""
    given: dict[str, Any] = {p.name: getattr(args, p.name) for p in _PARAMETERS if p.option != "--tile"}
    if args.tile is not None:
        given["tile_rows"], given["tile_columns"] = args.tile
    return {name: value for name, value in given.items() if value is not None}


def program_from(args: argparse.Namespace) -> Program:
    """The program the options describe; ProgramError names the option, or the file and line, that is wrong."""
    return find_program(args.program, parameters_from(args), args.fault)


def _help(parameter: Parameter) -> str:
    return tr(
        "{help} ({low}..{high}{unit}; default: {default})",
        help=tr(parameter.help),
        low=parameter.low,
        high=parameter.high,
        unit=f" {parameter.unit}" if parameter.unit else "",
        default=", ".join([str(parameter.default), *_other_defaults(parameter)]),
    )


def _other_defaults(parameter: Parameter) -> list[str]:
    """ "gemm 4": of the programs that have another one than is told first."""
    return [
        f"{name} {one.default}"
        for name, program in PROGRAMS.items()
        for one in program.parameters
        if one.name == parameter.name and one.default != parameter.default
    ]


def _tile(text: str) -> tuple[int, int]:
    match = _TILE.fullmatch(text)
    if match is None:
        raise argparse.ArgumentTypeError(tr("{text!r} is not ROWSxCOLUMNS, such as 128x64", text=text))
    return int(match[1]), int(match[2])
