"""Reads a story's TOML and finds everything that is wrong with it at once, by file, chapter, step and key."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

from visualizer.language import tr
from visualizer.playback.stories.errors import StoryError
from visualizer.playback.stories.model import (
    DEFAULT_PANES,
    EMPTY,
    PANES,
    ZOOMS,
    Autoplay,
    Chapter,
    FocusRule,
    Question,
    Source,
    Step,
    Story,
    Text,
    Zoom,
)
from visualizer.recording.bounded_toml import read_toml
from visualizer.recording.regular_file import read_regular
from visualizer.resources import resource_dir

_STORY = {"title", "stories", "chapter"}
_PART = {"title", "chapter"}
_CHAPTER = {"id", "title", "recording", "program", "fault", "parameters", "others", "step"}
_SOURCE = {"recording", "program", "fault", "parameters"}
_STEP = {"focus", "text", "lane", "panes", "highlight", "zoom", "notes", "question", "answer", "autoplay"}
_FOCUS = {"step", "find", "nth", "offset"}
_MAX_BYTES = 1 << 20


def story_path(name: str) -> Path:
    """The file of a built-in story's name, or the path as it is given."""
    built_in = resource_dir("assets") / "stories" / f"{name}.toml"
    return built_in if os.sep not in name and built_in.is_file() else Path(name)


def built_in_stories() -> list[str]:
    """Names of the stories in assets/stories."""
    return sorted(path.stem for path in (resource_dir("assets") / "stories").glob("*.toml"))


def load_story(path: str | os.PathLike[str], *, part: bool = False) -> Story:
    """The story in the file `path`; with `part` one that another story tells, which tells no others. StoryError lists
    every problem."""
    path = Path(path)
    try:
        content = read_regular(path, _MAX_BYTES + 1)
    except OSError as error:
        reason = error.strerror or str(error)
        raise StoryError(tr("{path}: cannot be read: {reason}", path=path, reason=reason)) from None
    except ValueError:  # a NUL
        raise StoryError(tr("{path!r} cannot be the name of a file", path=str(path))) from None
    if len(content) > _MAX_BYTES:
        raise StoryError(tr("{path}: larger than 1 MB; a story is text", path=path))
    try:
        text = content.decode()
    except UnicodeDecodeError:
        raise StoryError(tr("{path}: is not UTF-8 text; save it as UTF-8", path=path)) from None
    return parse_story(text, path, part=part)


def parse_story(text: str, path: Path | None = None, *, part: bool = False) -> Story:
    """The story that the TOML `text` describes; `part` as of `load_story`. StoryError lists every problem."""
    name = str(path) if path else tr("the story")
    try:
        document = read_toml(text)
    except RecursionError:
        raise StoryError(tr("{path}: is nested too deeply", path=name)) from None
    except ValueError as error:  # also a number of thousands of digits
        raise StoryError(tr("{path}: is not TOML: {reason}", path=name, reason=error)) from None
    reader = _Reader(name)
    story = reader.story(document, path, _PART if part else _STORY)
    if reader.problems:
        raise StoryError(*reader.problems)
    return story


class _Reader:
    """Reads tables into the model, noting problems instead of stopping at the first."""

    def __init__(self, name: str) -> None:
        self.problems: list[str] = []
        self._where = name

    def story(self, table: Mapping[str, Any], path: Path | None, keys: set[str]) -> Story:
        self._known(table, keys)
        title = self._text(table, "title", required=True)
        chapters = self._parts(table, path) if "stories" in keys else []
        for number, chapter in enumerate(self._tables(table, "chapter"), 1):
            with _Inside(self, tr("chapter {name}", name=repr(chapter.get("id", number)))):
                chapters.append(self._chapter(chapter))
        if not chapters and "stories" not in table:
            self._problem("chapter", tr("a story needs at least one [[chapter]]"))
        ids = [chapter.id for chapter in chapters]
        for twice in sorted({name for name in ids if ids.count(name) > 1}):
            self._problem("chapter", tr("two chapters have the id {id}", id=repr(twice)))
        return Story(title, tuple(chapters), path)

    def _parts(self, table: Mapping[str, Any], path: Path | None) -> list[Chapter]:
        """The chapters of other stories, one story after another."""
        names = self._strings(table, "stories")
        if "stories" in table and (not names or "chapter" in table):
            self._problem("stories", tr("a story tells other stories, or chapters of its own"))
        for twice in sorted({name for name in names if names.count(name) > 1}):
            self._problem("stories", tr("{name} is told twice", name=twice))
        chapters: list[Chapter] = []
        for number, name in enumerate(dict.fromkeys(names), 1):
            if name != Path(name).name:
                self._problem("stories", tr("{name} is neither a built-in story nor a file beside this one", name=name))
                continue
            file = story_path(name)
            try:
                story = load_story(file if file.is_absolute() else (path.parent if path else Path()) / name, part=True)
            except StoryError as error:
                self.problems += error.problems
                continue
            chapters += _chapters_of(story, number)
        return chapters

    def _chapter(self, table: Mapping[str, Any]) -> Chapter:
        self._known(table, _CHAPTER)
        steps = []
        for number, step in enumerate(self._tables(table, "step"), 1):
            with _Inside(self, tr("step {number}", number=number)):
                steps.append(self._step(step))
        if not steps:
            self._problem("step", tr("a chapter needs at least one [[chapter.step]]"))
        others = {}
        for name, source in self._table(table, "others").items():
            with _Inside(self, tr("recording {name}", name=repr(name))):
                if isinstance(source, dict):
                    self._known(source, _SOURCE)
                    others[name] = self._source(source)
                else:
                    self._problem(name, tr("must be a table with recording or program"))
        return Chapter(
            self._string(table, "id", required=True),
            self._text(table, "title", required=True),
            self._source(table),
            tuple(steps),
            others,
        )

    def _source(self, table: Mapping[str, Any]) -> Source:
        recording, program, fault = (self._string(table, key) for key in ("recording", "program", "fault"))
        try:
            source = Source(recording, program, fault, self._table(table, "parameters"))
        except StoryError as error:
            self.problems += [f"{self._where}: {problem}" for problem in error.problems]
            return Source()
        if bool(source.recording) == bool(source.program):
            self._problem("recording", tr("give either recording or program"))
        if source.recording and (source.fault or source.parameters):
            self._problem("fault", tr("fault and parameters belong to a program, not to a recording"))
        return source

    def _step(self, table: Mapping[str, Any]) -> Step:
        self._known(table, _STEP)
        question = None
        if "question" in table or "answer" in table:
            question = Question(
                self._text(table, "question", required=True), self._text(table, "answer", required=True)
            )
        zoom = self._string(table, "zoom") or "tile"
        if zoom not in ZOOMS:
            self._problem("zoom", tr("is {value}; it may be {choices}", value=repr(zoom), choices=", ".join(ZOOMS)))
        panes = self._strings(table, "panes") or DEFAULT_PANES
        for pane in panes:
            if pane not in PANES:
                choices = ", ".join(PANES)
                self._problem(
                    "panes", tr("there is no pane {pane}; there are {choices}", pane=repr(pane), choices=choices)
                )
        return Step(
            focus=self._focus(table, "focus", required=True),
            text=self._text(table, "text", required=True),
            lane=self._string(table, "lane"),
            panes=panes,
            highlight=self._strings(table, "highlight"),
            zoom=cast(Zoom, zoom),
            notes=self._text(table, "notes"),
            question=question,
            autoplay=self._autoplay(table),
        )

    def _autoplay(self, table: Mapping[str, Any]) -> Autoplay | None:
        if "autoplay" not in table:
            return None
        autoplay = self._table(table, "autoplay")
        self._known(autoplay, {"until", "loop"})
        loop = autoplay.get("loop", False)
        if not isinstance(loop, bool):
            self._problem("autoplay.loop", tr("must be true or false"))
        return Autoplay(self._focus(autoplay, "until", required=True), bool(loop))

    def _focus(self, table: Mapping[str, Any], key: str, *, required: bool = False) -> FocusRule:
        value = table.get(key)
        if value is None:
            if required:
                self._problem(key, tr("is missing: give a step number, or find with a query"))
            return FocusRule(step=0)
        if isinstance(value, int) and not isinstance(value, bool):
            return FocusRule(step=value)
        if not isinstance(value, dict):
            self._problem(key, tr("must be a step number or a table with find"))
            return FocusRule(step=0)
        self._known(value, _FOCUS, f"{key}.")
        numbers = {name: value[name] for name in ("step", "nth", "offset") if name in value}
        for name, number in numbers.items():
            if not isinstance(number, int) or isinstance(number, bool):
                self._problem(f"{key}.{name}", tr("must be a whole number"))
                return FocusRule(step=0)
        find = self._string(value, "find")
        if bool(find) == ("step" in value):
            self._problem(key, tr("give either step or find"))
        if numbers.get("nth") == 0:
            self._problem(f"{key}.nth", tr("counts from 1, or from -1 for the last"))
        return FocusRule(find=find, **numbers)

    def _text(self, table: Mapping[str, Any], key: str, *, required: bool = False) -> Text:
        value = table.get(key)
        if value is None:
            if required:
                self._problem(key, tr("is missing: give it in en and zh"))
            return EMPTY
        if not isinstance(value, dict):
            self._problem(key, tr("must have en and zh"))
            return EMPTY
        self._known(value, {"en", "zh"}, f"{key}.")
        en, zh = (self._string(value, language, required=True, path=f"{key}.") for language in ("en", "zh"))
        return Text(en.strip(), zh.strip())

    def _string(self, table: Mapping[str, Any], key: str, *, required: bool = False, path: str = "") -> str:
        value = table.get(key, "")
        if not isinstance(value, str):
            self._problem(path + key, tr("must be text"))
            return ""
        if required and not value.strip():
            self._problem(path + key, tr("is missing"))
        return value

    def _strings(self, table: Mapping[str, Any], key: str) -> tuple[str, ...]:
        value = table.get(key, [])
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            self._problem(key, tr("must be a list of names"))
            return ()
        return tuple(value)

    def _table(self, table: Mapping[str, Any], key: str) -> Mapping[str, Any]:
        value = table.get(key, {})
        if not isinstance(value, dict):
            self._problem(key, tr("must be a table"))
            return {}
        return value

    def _tables(self, table: Mapping[str, Any], key: str) -> list[Mapping[str, Any]]:
        value = table.get(key, [])
        if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
            self._problem(key, tr("must be a list of tables"))
            return []
        return value

    def _known(self, table: Mapping[str, Any], keys: set[str], path: str = "") -> None:
        for key in sorted(set(table) - keys):
            self._problem(path + key, tr("is no key here; there are {keys}", keys=", ".join(sorted(keys))))

    def _problem(self, key: str, what: str) -> None:
        self.problems.append(f"{self._where}: {key}: {what}")


def _chapters_of(story: Story, part: int) -> list[Chapter]:
    """A story's chapters as those of the `part`-th of several: with ids of their own, the first with both titles."""
    first, *others = (replace(chapter, id=f"{part}-{chapter.id}") for chapter in story.chapters)
    title = Text(f"{story.title.en} - {first.title.en}", f"{story.title.zh} - {first.title.zh}")
    return [replace(first, title=title), *others]


class _Inside:
    """While it lasts, problems are named as being in this chapter or step."""

    def __init__(self, reader: _Reader, place: str) -> None:
        self._reader, self._place, self._outer = reader, place, reader._where

    def __enter__(self) -> None:
        self._reader._where = f"{self._outer}: {self._place}"

    def __exit__(self, *_: object) -> None:
        self._reader._where = self._outer
