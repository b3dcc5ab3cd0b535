"""What may be asked of a recording on a GPU, as options: GpuOptions says what each means and checks it."""

from __future__ import annotations

from visualizer.language import mark
from visualizer.sources.lesson.options import CHECK_MODES, LOG_PLACES
from visualizer.sources.lesson.raw_log import LOG_LEVELS
from visualizer.sources.lesson.word_probe import PROBES
from visualizer.sources.option import Choice, Field, Group, Names, Option, Seconds, Whole
from visualizer.sources.runner.cost import MOST_PAIRS

_GROUP = Group(mark("gpu"))

GPU_OPTIONS = (
    Option(
        "check",
        "--check",
        Choice(CHECK_MODES),
        mark("what consumers verify: every element, a sum (fast enough for long runs), nothing (default: exact)"),
        _GROUP,
        default="exact",
    ),
    Option(
        "level",
        "--level",
        Choice(LOG_LEVELS),
        mark(
            "how much to log: nothing, the times phases completed, the end of each wait, begin and"
            " end of each wait, every event with the barrier's word (default: full; words with"
            " --fault or --probe)"
        ),
        _GROUP,
        title=mark("Level"),
        fields=(
            Field(
                mark("how much the kernel logs (--level)"),
                usual=mark("auto"),
                value_help={
                    None: mark("full, or words with a fault in the kernel or a probe"),
                    "off": mark("nothing: only whether the run came to its end"),
                    "phases": mark("the times phases completed"),
                    "standard": mark("the end of each wait"),
                    "full": mark("begin and end of each wait"),
                    "words": mark("every event, with the barrier's word"),
                },
            ),
        ),
    ),
    Option(
        "log_capacity",
        "--log-capacity",
        Whole(),
        mark("records per warp: of tiles, or at --level words of events (default: as many as the program needs)"),
        _GROUP,
        metavar="N",
        default=0,
    ),
    Option(
        "watchdog_ms",
        "--watchdog-ms",
        Whole(),
        mark(
            "a wait longer than this gives up; 0: none does, and a hang is ended from outside, see --hang"
            " (default: 0; 1000 at --level words)"
        ),
        _GROUP,
        metavar="N",
    ),
    Option(
        "log_memory",
        "--log-memory",
        Choice(LOG_PLACES),
        mark(
            "where the log lies while the kernel runs: host memory outlives a crash, device memory is"
            " faster and is copied while the kernel hangs (default: auto, host if the log is small)"
        ),
        _GROUP,
        default="auto",
    ),
    Option(
        "hang_s",
        "--hang",
        Seconds(),
        mark("end a run with no event for S s; what was logged is kept (default: 5)"),
        _GROUP,
        metavar="S",
        default=5.0,
    ),
    Option(
        "time_limit_s",
        "--time-limit",
        Seconds(),
        mark("stop the GPU worker after S s (default: 120)"),
        _GROUP,
        metavar="S",
        default=120.0,
    ),
    Option(
        "ab_pairs",
        "--ab",
        Whole(high=MOST_PAIRS),
        mark("run it N times more with logging off and on in turn, and store how much logging slows it"),
        _GROUP,
        metavar="N",
        default=0,
        title=mark("A/B pairs"),
        fields=(
            Field(
                mark(
                    "run it so many times more with logging off and on in turn, and store how much logging slows it"
                    " (--ab)"
                ),
                usual=mark("off"),
            ),
        ),
    ),
    Option(
        "probe",
        "--probe",
        Choice(PROBES),
        mark(
            "let a spare warp look at live barriers: their words (experimental: by arrivals of count"
            " 0, which PTX does not provide for), or their phase flips alone (by test_wait, which PTX"
            " does) (default: off)"
        ),
        _GROUP,
        default="off",
        title=mark("Probe"),
        fields=(
            Field(
                mark(
                    "a spare warp looks at live barriers on the GPU: at their words, by arrivals of count 0, which PTX"
                    " does not provide for; or at their phase flips alone, by test_wait, which it does (--probe)"
                ),
                titles={"off": mark("off"), "words": mark("words (experimental)"), "flips": mark("phase flips")},
            ),
        ),
    ),
    Option(
        "probe_barriers",
        "--probe-barriers",
        Names(),
        mark("where the probe looks, in every CTA, such as full[0],empty[0] (default: every barrier)"),
        _GROUP,
        metavar="NAMES",
        default=(),
    ),
)
