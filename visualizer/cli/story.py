"""`phasescope story`: which stories there are, whether one can be told from end to end, and telling it."""

from __future__ import annotations

import argparse
import json
import re
from pathlib import Path
from typing import Any

from visualizer.cli.errors import EXIT_CLEAN, EXIT_FINDINGS, UserError, check_output
from visualizer.cli.exporting import clear_progress, progress, start_qt
from visualizer.language import LANGUAGES, current, mark, tr, trn
from visualizer.playback.address import Address
from visualizer.playback.stories.check import check_story
from visualizer.playback.stories.errors import StoryError
from visualizer.playback.stories.load import built_in_stories, load_story, story_path
from visualizer.playback.stories.telling import Telling
from visualizer.views.look.theme import theme_names

EXAMPLES = mark("""examples:
  phasescope story list                 the stories that come with phasescope
  phasescope story present lecture.toml tell it, full screen; Esc leaves, ? shows the keys
  phasescope story check lecture.toml   every problem, by chapter, step and key
  phasescope story export lesson -o lesson.html         a page with steps, questions and both languages
  phasescope story export lesson -o lesson.pdf --lang zh   a handout, a page a step
  phasescope story export lesson -o tile.mp4 --chapter one-tile --size 1920x1080

exit status of check: 0 it can be told; 1 problems; 2 no story at all
""")


def add_parser(subparsers: Any) -> None:
    parser = subparsers.add_parser(
        "story",
        help=tr("lectures: list and check stories"),
        description=tr("Stories tell a pipeline step by step to a room. docs/stories.md describes their format."),
        epilog=tr(EXAMPLES),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    actions = parser.add_subparsers(metavar="ACTION", required=True)
    listing = actions.add_parser("list", help=tr("the stories that come with phasescope"))
    listing.add_argument("--json", action="store_true", help=tr("print JSON"))
    listing.set_defaults(run=_list)
    present = actions.add_parser("present", help=tr("tell a story, full screen"))
    present.add_argument("story", metavar="FILE", help=tr("a story's TOML file, or the name of a built-in story"))
    present.set_defaults(run=_present)
    check = actions.add_parser("check", help=tr("find everything wrong with a story"))
    check.add_argument("story", metavar="FILE", help=tr("a story's TOML file, or the name of a built-in story"))
    check.add_argument("--json", action="store_true", help=tr("print JSON"))
    check.set_defaults(run=_check)
    export = actions.add_parser("export", help=tr("write a story as a page, handout, animation or film"))
    export.add_argument("story", metavar="FILE", help=tr("a story's TOML file, or the name of a built-in story"))
    export.add_argument(
        "-o",
        "--output",
        type=Path,
        required=True,
        metavar="FILE",
        help=tr("html, pdf, gif or mp4"),
    )
    export.add_argument(
        "--chapter", action="append", default=[], metavar="ID", help=tr("only this one; may be repeated")
    )
    export.add_argument(
        "--lang", choices=tuple(LANGUAGES), help=tr("of pdf, gif and mp4, and what a page opens in (html has both)")
    )
    export.add_argument("--size", metavar="WxH", default="1280x720", help=tr("of the pictures (default: %(default)s)"))
    export.add_argument("--theme", choices=theme_names(), default="light", help=tr("(default: %(default)s)"))
    export.set_defaults(run=_export)


def _list(args: argparse.Namespace) -> int:
    stories = {name: load_story(story_path(name)) for name in built_in_stories()}
    if args.json:
        rows = [
            {"name": name, "title": {"en": story.title.en, "zh": story.title.zh}} for name, story in stories.items()
        ]
        print(json.dumps(rows, indent=1, ensure_ascii=False))
    else:
        for name, story in stories.items():
            chapters = trn("{n} chapter", "{n} chapters", len(story.chapters))
            print(f"{name:20} {story.title.spoken(current())} ({chapters})")
    return EXIT_CLEAN


def _present(args: argparse.Namespace) -> int:
    path = story_path(args.story)
    if problems := check_story(load_story(path)):
        raise StoryError(*problems)
    from visualizer.app.run import run_app

    return run_app(Address(None), story=path, language=args.lang)


def _check(args: argparse.Namespace) -> int:
    path = story_path(args.story)
    problems = check_story(load_story(path))
    if args.json:
        print(json.dumps({"story": str(path), "problems": problems}, indent=1, ensure_ascii=False))
    elif problems:
        print("\n".join(problems))
    else:
        print(tr("{path}: can be told from end to end in both languages", path=path))
    return EXIT_FINDINGS if problems else EXIT_CLEAN


def _export(args: argparse.Namespace) -> int:
    size = re.fullmatch(r"(\d{1,9})x(\d{1,9})", args.size)
    if size is None:
        raise UserError(tr("--size {size}: expected WIDTHxHEIGHT, such as 1280x720", size=args.size))
    check_output(args.output, story_path(args.story))
    story = load_story(story_path(args.story))
    if problems := check_story(story):
        raise StoryError(*problems)
    start_qt()
    from visualizer.app.lecture.take_home import TakeHome, chapters_named, export_story

    width, height = int(size[1]), int(size[2])
    chapters = chapters_named(story, args.chapter)
    wish = TakeHome(args.output, chapters, args.lang or current(), args.theme, (width, height))
    written = export_story(Telling(story), wish, progress())
    clear_progress()
    print(tr("{path}: {size:,} bytes", path=args.output, size=written))
    return EXIT_CLEAN
