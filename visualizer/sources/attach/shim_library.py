"""The library that is preloaded into the program: built with the machine's C compiler at first use, then kept.

It has no CUDA header and no library but the C library behind it, so that any compiler will do, and it is built where it
runs, so that its processor and C library are the right ones.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from visualizer.language import tr
from visualizer.sources.errors import SourceError

SOURCES = Path(__file__).resolve().parent / "shim"
COMPILERS = ("cc", "gcc", "clang")
FLAGS = ("-std=gnu11", "-O2", "-shared", "-fPIC", "-fvisibility=hidden", "-Wl,-Bsymbolic")
"""Bsymbolic: loaded late, its own hooks must not mean the driver's functions of the same name."""
LIBRARIES = ("-ldl", "-lpthread")


def shim_library(cache: Path | None = None) -> Path:
    """The built library; in `cache`, or the user's cache folder. SourceError if it cannot be built."""
    compiler = _compiler()
    sources = sorted(SOURCES.glob("*.[ch]"))
    key = hashlib.sha256(_version(compiler).encode())
    for source in sources:
        key.update(source.read_bytes())
    key.update(" ".join(FLAGS).encode())
    folder = cache or _cache_folder()
    library = folder / f"attach-{key.hexdigest()[:16]}.so"
    if not library.exists():
        _build(compiler, [source for source in sources if source.suffix == ".c"], library)
    return library


def _compiler() -> str:
    named = os.environ.get("CC")
    for name in (named,) if named else COMPILERS:
        if (found := shutil.which(name)) is not None:
            return found
    raise SourceError(
        tr(
            "no C compiler was found ({names}): attach builds a small library once; install one, such as"
            " `apt install gcc`, or name yours in CC",
            names=named or ", ".join(COMPILERS),
        ),
    )


def _version(compiler: str) -> str:
    return compiler + subprocess.run([compiler, "--version"], capture_output=True, text=True, check=False).stdout


def _cache_folder() -> Path:
    """The user's own, since what lies there is loaded into his programs; never a folder that others may write."""
    base = os.environ.get("XDG_CACHE_HOME", "")
    folder = (Path(base) if os.path.isabs(base) else Path.home() / ".cache") / "phasescope"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def _build(compiler: str, sources: list[Path], library: Path) -> None:
    """Beside its place and then moved there: another session may build it at the same time."""
    fd, unfinished = tempfile.mkstemp(prefix=".attach-", suffix=".so", dir=library.parent)
    os.close(fd)
    try:
        done = subprocess.run(
            [compiler, *FLAGS, "-o", unfinished, *map(str, sources), *LIBRARIES],
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            words = done.stderr.strip().splitlines() or [tr("exit status {returncode}", returncode=done.returncode)]
            raise SourceError(
                tr("{compiler} cannot build attach's library: {problem}", compiler=compiler, problem=words[0]),
            )
        os.replace(unfinished, library)
    finally:
        Path(unfinished).unlink(missing_ok=True)
