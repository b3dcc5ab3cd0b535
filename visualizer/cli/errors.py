"""What a user did wrong, or what is missing, becomes one sentence on stderr and exit status 2: never a traceback."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from visualizer.cli.terminal import plain_output
from visualizer.export.errors import ExportError
from visualizer.language import tr
from visualizer.playback.stories.errors import StoryError
from visualizer.programs.errors import ProgramError
from visualizer.recording.trace import TraceError
from visualizer.sources.errors import SourceError

EXIT_CLEAN = 0
EXIT_FINDINGS = 1
EXIT_BAD_INPUT = 2
EXIT_PARTIAL = 3
"""Nothing found, but not everything that applies could be judged."""
EXIT_INTERRUPTED = 128 + signal.SIGINT
"""What a shell expects after Ctrl+C."""


class UserError(Exception):
    """Bad input; the message names the file or option, what was expected and what to do."""


def check_output(output: Path, *inputs: Path | None) -> None:
    """UserError if writing `output` would destroy what is read."""
    for given in inputs:
        with suppress(OSError):  # one of them is not there
            if given is not None and os.path.samefile(output, given):
                raise UserError(
                    tr("-o {path} is the file that is read, and would be lost: choose another name", path=output)
                )


def run_reporting(command: Callable[[], int]) -> int:
    """Run `command` and return its exit status; an error meant for a person is printed and becomes a status."""
    try:
        with plain_output():
            return command()
    except KeyboardInterrupt:
        _report(tr("cancelled"))
        return EXIT_INTERRUPTED
    except BrokenPipeError:
        # The reader went away (`| head`): nothing is wrong. Python would complain again when it flushes at exit.
        sys.stdout = None
        return EXIT_CLEAN
    except (UserError, ExportError, ProgramError, SourceError, StoryError, TraceError) as error:
        _report(str(error))
    except OSError as error:
        _report(describe_os_error(error))
    return EXIT_BAD_INPUT


def describe_os_error(error: OSError) -> str:
    """ "FILE: No such file or directory", without the errno that Python puts in front."""
    reason = error.strerror or str(error)
    return f"{error.filename}: {reason}" if error.filename else reason


def _report(sentence: str) -> None:
    with plain_output():
        print(f"phasescope: {sentence}", file=sys.stderr)
