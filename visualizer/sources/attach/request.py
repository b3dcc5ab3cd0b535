"""What is asked of attach as a whole: a program, where and how it runs, and what is recorded of it.

The command line and the window both make one and ask it the same: `check`, before anything runs.
"""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from visualizer.language import tr
from visualizer.sources.attach.option_table import OPTIONS
from visualizer.sources.attach.options import AttachOptions
from visualizer.sources.attach.program import find_program
from visualizer.sources.errors import SourceError
from visualizer.sources.output_place import check_place
from visualizer.sources.runner.cost import LEAST_PAIRS, MOST_PAIRS


@dataclass(frozen=True, slots=True)
class AttachRequest:
    """One program to run and watch."""

    command: tuple[str, ...]
    options: AttachOptions
    folder: Path = field(default_factory=Path.cwd)  # where it runs, and where recordings go that name no folder
    environment: Mapping[str, str] = field(default_factory=dict)  # beside our own

    @property
    def whole_environment(self) -> dict[str, str]:
        """What the program finds, but for what attach adds."""
        return {**os.environ, **self.environment}

    def check(self) -> None:
        """Refuse what cannot be, quickly: SourceError in words that name the option."""
        options = self.options
        if not self.folder.is_dir():
            raise SourceError(tr("{folder}: no such folder to run the program in", folder=self.folder))
        try:
            re.compile(options.kernel)
        except re.error as problem:
            raise SourceError(
                tr("--kernel {text}: not a regular expression: {problem}", text=options.kernel, problem=problem)
            ) from None
        if options.keep_first and options.keep_last:
            raise SourceError(tr("--keep-first and --keep-last exclude each other: give one of them"))
        if options.rounds and not LEAST_PAIRS <= options.rounds <= MOST_PAIRS:
            raise SourceError(
                tr(
                    "--time is {rounds}; it must be {least}..{most} rounds",
                    rounds=options.rounds,
                    least=LEAST_PAIRS,
                    most=MOST_PAIRS,
                )
            )
        if options.output is not None:
            check_place(self.folder / options.output)
        find_program(self.command, self.whole_environment, self.folder)

    @property
    def told(self) -> str:
        """The command line that asks for the same, for the recording to tell; run it in `folder`."""
        options = self.options
        words = ["phasescope", "attach"]
        for option in OPTIONS:
            value = getattr(options, option.name)
            if value != option.default:
                words += [option.flag, option.kind.text(value)]
        if options.list_only:
            words.append("--list")
        if options.output is not None:
            words += ["-o", str(options.output)]
        added = [f"{name}={value}" for name, value in self.environment.items()]
        return shlex.join([*(["env", *added] if added else []), *words, "--", *self.command])
