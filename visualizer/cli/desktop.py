"""`phasescope desktop`: recordings open by double-click on a Linux desktop. Only the user's own folders are written to.

By freedesktop.org: Desktop Entry and its quoting of Exec, Shared MIME-info, Icon Theme, Base Directory.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

from visualizer.children import child_command
from visualizer.cli.errors import EXIT_CLEAN, UserError
from visualizer.language import mark, tr
from visualizer.resources import RECORDING_SUFFIX, resource_dir

MIME_TYPE = "application/vnd.phasescope.recording"
COMMENT = mark("Step through a Hopper (SM90) asynchronous pipeline")
RECORDING = mark("phasescope recording")
_ENTRY = Path("applications/phasescope.desktop")
_TYPES = Path("mime/packages/phasescope.xml")
_ICONS = (
    Path("icons/hicolor/scalable/apps/phasescope.svg"),
    Path("icons/hicolor/scalable/mimetypes/application-vnd.phasescope.recording.svg"),
)
_QUOTED = str.maketrans({character: f"\\{character}" for character in '\\"`$'})

EXAMPLES = mark("""examples:
  phasescope desktop --install   from now on a double-click opens .pscope files
  phasescope desktop --remove    take all of it away again
""")


def add_parser(subparsers: Any) -> None:
    parser = subparsers.add_parser(
        "desktop",
        help=tr("let a double-click open recordings, on Linux"),
        description=tr(
            "Tell a Linux desktop of phasescope: a menu entry, the type of .pscope files and an icon, in your own"
            " folders (XDG_DATA_HOME). Nothing else is changed."
        ),
        epilog=tr(EXAMPLES),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--install", action="store_true", help=tr("put the files there, or bring them up to date"))
    what.add_argument("--remove", action="store_true", help=tr("take them away"))
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    if not sys.platform.startswith("linux"):
        raise UserError(tr("desktop is for Linux; elsewhere choose phasescope in the file's own dialog"))
    folder = data_home()
    changed = install(folder) if args.install else remove(folder)
    for path in changed:
        print(path)
    if not changed:
        print(tr("there is nothing of phasescope in {folder}", folder=folder))
    for sentence in refresh(folder):
        print(sentence)
    return EXIT_CLEAN


def data_home() -> Path:
    """Where a user's own desktop data lie; a relative XDG_DATA_HOME counts as none."""
    told = Path(os.environ.get("XDG_DATA_HOME", ""))
    return told if told.is_absolute() else Path.home() / ".local" / "share"


def install(folder: Path) -> list[Path]:
    """Write all files below `folder`; their paths. OSError where that cannot be written to."""
    icon = (resource_dir("assets") / "icons" / "phasescope.svg").read_bytes()
    contents = {_ENTRY: desktop_entry(_command()).encode(), _TYPES: mime_type().encode(), **dict.fromkeys(_ICONS, icon)}
    for name, content in contents.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    return [folder / name for name in contents]


def remove(folder: Path) -> list[Path]:
    """Delete what `install` wrote; the paths of what was there."""
    there = [folder / name for name in (_ENTRY, _TYPES, *_ICONS) if (folder / name).is_file()]
    for path in there:
        path.unlink()
    return there


def desktop_entry(command: Sequence[str]) -> str:
    """The menu entry; `command` opens a recording that is named behind it."""
    words = " ".join(f'"{word.translate(_QUOTED)}"'.replace("%", "%%") for word in command)
    # The value is a string in which a backslash is an escape too.
    line = words.replace("\\", "\\\\")
    return f"""[Desktop Entry]
Type=Application
Version=1.5
Name=phasescope
Comment={tr(COMMENT)}
Exec={line} %f
Icon=phasescope
Terminal=false
Categories=Development;Debugger;
MimeType={MIME_TYPE};
StartupWMClass=phasescope
"""


def mime_type() -> str:
    """The type of recordings. They are ZIP files: the name's ending says more than the first bytes."""
    return f"""<?xml version="1.0" encoding="UTF-8"?>
<mime-info xmlns="http://www.freedesktop.org/standards/shared-mime-info">
  <mime-type type="{MIME_TYPE}">
    <comment>{escape(tr(RECORDING))}</comment>
    <sub-class-of type="application/zip"/>
    <glob pattern="*{RECORDING_SUFFIX}" weight="80"/>
  </mime-type>
</mime-info>
"""


def refresh(folder: Path) -> list[str]:
    """Let the desktop read its folders anew; a sentence for each tool that is not there."""
    told = []
    for tool, package, where in (
        ("update-mime-database", "shared-mime-info", "mime"),
        ("update-desktop-database", "desktop-file-utils", "applications"),
    ):
        found = shutil.which(tool)
        if found is None:
            told.append(tr("{tool} is not installed: until it runs, files keep their type", tool=f"{tool} ({package})"))
        elif (folder / where).is_dir():
            subprocess.run([found, str(folder / where)], check=False, capture_output=True, timeout=60)
    return told


def _command() -> list[str]:
    """The words that open the window: the installed command, or this very Python."""
    command = child_command("visualizer", "open")
    installed = Path(command[0]).with_name("phasescope")
    return [str(installed), "open"] if installed.is_file() else command
