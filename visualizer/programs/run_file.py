"""Runs a user's FILE.py and its `program()`, here and now. Whatever is wrong with it is one sentence with the file and
line.

The file is Python and runs with the user's rights, as any script does. load.py does this in a process that can be
ended.
"""

from __future__ import annotations

import traceback
from pathlib import Path
from types import ModuleType
from typing import NoReturn

from visualizer.language import tr
from visualizer.programs.errors import ProgramError
from visualizer.programs.program import Program
from visualizer.recording.regular_file import open_regular

ENTRY = "program"


def run_file(path: Path) -> Program:
    """The Program that the file's `program()` returns. ProgramError "FILE:LINE: ..." if there is none."""
    try:
        with open_regular(path) as file:
            text = file.read().decode()
    except OSError as error:
        raise ProgramError(
            tr(
                "--program {path}: {strerror}; name a Python file that defines {entry}()",
                path=path,
                strerror=error.strerror or error,
                entry=ENTRY,
            )
        ) from None
    except UnicodeDecodeError:
        raise ProgramError(tr("{path}: not a Python file: its text is not UTF-8", path=path)) from None
    try:
        code = compile(text, str(path), "exec", dont_inherit=True)
    except SyntaxError as error:
        raise ProgramError(
            tr("{path}:{lineno}: not valid Python: {msg}", path=path, lineno=error.lineno or 1, msg=error.msg)
        ) from None
    except ValueError as error:
        raise ProgramError(tr("{path}:1: not valid Python: {error}", path=path, error=error)) from None
    module = ModuleType(path.stem)
    module.__file__ = str(path)
    try:
        exec(code, module.__dict__)
        entry = getattr(module, ENTRY, None)
        if not callable(entry):
            raise ProgramError(
                tr(
                    "{path}:1: defines no function {entry}(); add one that returns Builder(...).build()",
                    path=path,
                    entry=ENTRY,
                )
            )
        program = entry()
    except (ProgramError, KeyboardInterrupt):
        raise
    except BaseException as error:
        _fail(path, error)
    if not isinstance(program, Program):
        line = entry.__code__.co_firstlineno if hasattr(entry, "__code__") else 1
        raise ProgramError(
            tr(
                "{path}:{line}: {entry}() must return what Builder.build() makes, not {type}",
                path=path,
                line=line,
                entry=ENTRY,
                type=type(program).__name__,
            )
        )
    return program


def _fail(path: Path, error: BaseException) -> NoReturn:
    """Name the innermost line of the file itself that led to `error`."""
    lines = [line for frame, line in traceback.walk_tb(error.__traceback__) if frame.f_code.co_filename == str(path)]
    if isinstance(error, MemoryError):
        traceback.clear_frames(error.__traceback__)  # they hold what there was no room for
        raise ProgramError(
            tr(
                "{path}:{line}: there is no memory left for what it makes; describe fewer operations",
                path=path,
                line=lines[-1] if lines else 1,
            )
        ) from None
    what = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    raise ProgramError(f"{path}:{lines[-1] if lines else 1}: {' '.join(what.split())}") from None
