"""A double-click opens recordings: what is written to the user's own folders, and that all of it goes again."""

from __future__ import annotations

import configparser
import os
import re
import shlex
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable
from pathlib import Path

import pytest

from visualizer.cli import desktop


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A data folder of its own, and no tools of a desktop."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    monkeypatch.setattr(shutil, "which", lambda name: None)
    return tmp_path


def entry(text: str) -> configparser.SectionProxy:
    parser = configparser.ConfigParser(interpolation=None)
    parser.optionxform = str  # type: ignore[assignment,method-assign]
    parser.read_string(text)
    return parser["Desktop Entry"]


def test_install_and_remove(phasescope: Callable, home: Path) -> None:
    outcome = phasescope("desktop", "--install")
    assert outcome.status == 0
    files = sorted(path for path in home.rglob("*") if path.is_file())
    assert len(files) == 4
    assert all(str(path) in outcome.out for path in files)
    assert "update-mime-database (shared-mime-info) is not installed" in outcome.out
    made = entry((home / "applications" / "phasescope.desktop").read_text())
    assert made["MimeType"] == f"{desktop.MIME_TYPE};"
    assert made["Exec"].endswith(" %f")
    types = ElementTree.parse(home / "mime" / "packages" / "phasescope.xml")
    names = {"": "http://www.freedesktop.org/standards/shared-mime-info"}
    glob = types.find("mime-type/glob", names)
    assert glob is not None
    assert glob.attrib["pattern"] == "*.pscope"
    assert phasescope("desktop", "--install").status == 0  # once more changes nothing
    assert sorted(path for path in home.rglob("*") if path.is_file()) == files
    stranger = home / "applications" / "other.desktop"
    stranger.write_text("")
    assert phasescope("desktop", "--remove").status == 0
    assert [path for path in home.rglob("*") if path.is_file()] == [stranger]
    assert "there is nothing of phasescope in" in phasescope("desktop", "--remove").out


@pytest.mark.parametrize("word", ["/opt/my tools/phasescope", '/a"b', "/a$b`c", "/50%/x", "/a\\b"])
def test_any_path_survives_the_quoting(word: str) -> None:
    """As the Desktop Entry specification undoes it: the escapes of the value, then those of the quotes."""
    line = entry(desktop.desktop_entry([word, "open"]))["Exec"]
    quoted = line.replace("\\\\", "\\").removesuffix(" %f").replace("%%", "%")
    words = re.findall(r'"((?:\\.|[^"\\])*)"', quoted)
    assert [re.sub(r"\\(.)", r"\1", one) for one in words] == [word, "open"]


def test_what_the_entry_starts_is_phasescope(phasescope: Callable, home: Path) -> None:
    phasescope("desktop", "--install")
    line = entry((home / "applications" / "phasescope.desktop").read_text())["Exec"]
    command = shlex.split(line.removesuffix(" %f"))
    done = subprocess.run([*command, "--help"], capture_output=True, text=True, timeout=60, env={**os.environ})
    assert done.returncode == 0
    assert "TRACE" in done.stdout


def test_the_desktop_is_told(phasescope: Callable, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ran: list[list[str]] = []
    monkeypatch.setattr(shutil, "which", lambda name: f"/usr/bin/{name}")
    monkeypatch.setattr(subprocess, "run", lambda command, **_: ran.append(command))
    phasescope("desktop", "--install")
    assert ran == [
        ["/usr/bin/update-mime-database", str(home / "mime")],
        ["/usr/bin/update-desktop-database", str(home / "applications")],
    ]


def test_where_data_lie(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    for told in ("", "relative/folder"):
        monkeypatch.setenv("XDG_DATA_HOME", told)
        assert desktop.data_home() == tmp_path / ".local" / "share"


def test_elsewhere_it_is_refused(phasescope: Callable, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    assert "desktop is for Linux" in phasescope("desktop", "--install").err
    monkeypatch.undo()
    assert phasescope("desktop").status == 2
