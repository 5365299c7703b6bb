"""The results as Markdown: results/rivals.md, and docs/concepts/benchmarks.md.

    python benchmarks/page.py

Made of results/*.csv and results/machine.json with the standard library alone; a test checks that both pages
are what this makes of the results.
"""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "benchmarks" / "results"
TABLE = RESULTS / "rivals.md"
PAGE = ROOT / "docs" / "concepts" / "benchmarks.md"

SEED_TOOLS = ("BootCI", "BooStSa", "deepsig")
TOOLS = (
    *SEED_TOOLS, "scipy", "sacrebleu", "arch", "resample", "stambo", "MLstatkit", "evalstats", "choix",
    "arena-rank",
)  # fmt: skip
TIMES_OTHERS = 10
"""How many times the time of bestby the quickest other tool should take."""

EVERY = "items, every metric"
"""The axis of growth of all metrics that read arrays."""

Row = Mapping[str, Any]


# -- files -----------------------------------------------------------------------------------------


def write(name: str, rows: Sequence[Row]) -> None:
    """Write rows (one at least) as results/NAME.csv."""
    RESULTS.mkdir(parents=True, exist_ok=True)
    with (RESULTS / f"{name}.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def write_json(name: str, about: Row) -> None:
    RESULTS.mkdir(parents=True, exist_ok=True)
    (RESULTS / f"{name}.json").write_text(json.dumps(about, indent=2) + "\n", encoding="utf-8")


def read(name: str) -> list[dict[str, str]]:
    """Return the rows of results/NAME.csv."""
    with (RESULTS / f"{name}.csv").open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


# -- words -----------------------------------------------------------------------------------------


def time_words(milliseconds: float) -> str:
    """
    >>> time_words(0.1234), time_words(12.34), time_words(123456.0)
    ('0.12 ms', '12 ms', '123 s')
    """
    for unit, size in (("s", 1e3), ("ms", 1.0)):
        value = milliseconds / size
        if value >= 10:
            return f"{value:,.0f} {unit}"
        if value >= 1:
            return f"{value:.1f} {unit}"
    return f"{milliseconds:.2g} ms"


def times_words(ratio: float) -> str:
    return f"{ratio:.2g}" if ratio < 10 else f"{ratio:,.0f}"


def anchor(job: str) -> str:
    """Return the id of a job's row in the page.

    >>> anchor("accuracy, BCa interval, n = 1,000")
    'accuracy-bca-interval-n-1000'
    """
    kept = "".join(c if c.isalnum() else " " for c in job.lower().replace(",", "").replace("'", ""))
    return "-".join(kept.split())


def grouped(rows: Iterable[Row]) -> list[list[Row]]:
    """Return the rows of each job, bestby first."""
    jobs: dict[str, list[Row]] = {}
    for row in rows:
        jobs.setdefault(row["job"], []).append(row)
    return list(jobs.values())


# -- goals -----------------------------------------------------------------------------------------


def ratios(rows: Sequence[Row]) -> dict[str, float]:
    """Return how many times the time of bestby each rival took."""
    ours, *others = rows
    return {row["tool"]: float(row["milliseconds"]) / float(ours["milliseconds"]) for row in others}


def goals(rows: Sequence[Row]) -> list[tuple[str, bool]]:
    """Return the goals of a job, in words, and whether each is met."""
    found, asked = ratios(rows), int(rows[0]["asked"])
    out = []
    if rows[0]["at_most_ms"]:
        taken, most = float(rows[0]["milliseconds"]), float(rows[0]["at_most_ms"])
        out.append((f"{time_words(taken)}, at most {time_words(most)}", taken <= most))
    out += [
        (f"{tool} {times_words(ratio)} times, asked {asked:,}", ratio >= asked)
        for tool, ratio in found.items()
        if tool in SEED_TOOLS
    ]
    others = {tool: ratio for tool, ratio in found.items() if tool not in SEED_TOOLS}
    if others:
        best = min(others, key=lambda tool: others[tool])
        told = f"best other ({best}) {times_words(others[best])} times, asked {TIMES_OTHERS}"
        out.append((told, others[best] >= TIMES_OTHERS))
    if found:
        best = min(found, key=lambda tool: found[tool])
        out.append((f"never slower (quickest: {best})", found[best] >= 1.0))
        mine, *held = (int(row["peak_mb"]) for row in rows)
        out.append((f"memory {mine} MB, largest rival {max(held)} MB", mine <= max(held)))
    return out


def goal_line(rows: Sequence[Row]) -> str:
    """Return "goal: … met/missed" of a job, or that it has none."""
    found = goals(rows)
    if not found:
        return "no goal"
    return "goal: " + "; ".join(f"{told}: {'met' if met else 'missed'}" for told, met in found)


def in_words(rows: Sequence[Row]) -> list[str]:
    """Return what is printed of a job."""
    ours = float(rows[0]["milliseconds"])
    out = ["", rows[0]["job"]]
    for row in rows:
        taken = float(row["milliseconds"])
        ratio = "" if row is rows[0] else times_words(taken / ours)
        remarks = [
            row["how"],
            row["note"],
            f"scaled from B = {row['scaled_from']}" if row["scaled_from"] else "",
        ]
        out.append(
            f"  {row['tool']:10} {time_words(taken):>10} {ratio:>8}  {row['peak_mb']:>5} MB"
            f"  {row['answer']:20} {'; '.join(part for part in remarks if part)}"
        )
    return [*out, "  " + goal_line(rows)]


# -- pages -----------------------------------------------------------------------------------------


def heading(about: Row) -> list[str]:
    """Return what the machine, the versions and the clock were."""

    def listed(packages: Row) -> str:
        return ", ".join(f"{name} {version}" for name, version in packages.items())

    where = f"{about['processor']}, {about['cores']} cores, {about['system']}"
    return [
        f"{where}, load {about['load']} at the start; Python {about['python']}.",
        "",
        f"- bestby's environment: {listed(about['bestby'])}",
        f"- that of its rivals: {listed(about['rivals'])}",
        f"- BooStSa's: {listed(about['BooStSa'])}",
        "",
        "CPU time of one thread, medians of several turns side by side, each tool in a process of",
        "its own. A rival whose resampling would take more than some tenths of a second, or 400 MB, draws",
        "fewer resamples, and that part of its time is scaled: marked ~.",
    ]


SEVERAL_RUNS = """
Processor, load and versions are those of the last run of all jobs. The rows are of several runs: some jobs
were added or measured anew later, by themselves, with the bestby of that day. The history of
`benchmarks/results` in git tells when each row was measured.
"""
"""What both pages say below the heading."""


def cell(row: Row, ours: float) -> str:
    """Return time and ratio of a rival, its remark as a letter."""
    taken = float(row["milliseconds"])
    scaled = "~" if row["scaled_from"] else ""
    marks = {"percentile": " ᵖ", "percentile and bootstrap test": " ᵖ"}
    return f"{scaled}{time_words(taken)}{marks.get(row['note'], '')} (**{times_words(taken / ours)}×**)"


def times_table(rows: Sequence[Row], anchored: bool) -> list[str]:
    """Return jobs by tools."""
    used = [tool for tool in TOOLS if any(row["tool"] == tool for row in rows)]
    out = [f"| job | bestby | {' | '.join(used)} |", f"|---|--:|{'--:|' * len(used)}"]
    for job in grouped(rows):
        by_tool = {row["tool"]: row for row in job}
        ours = float(job[0]["milliseconds"])
        cells = [cell(by_tool[tool], ours) if tool in by_tool else "" for tool in used]
        name = job[0]["job"]
        title = f'<span id="{anchor(name)}"></span>{name}' if anchored else name
        out.append(f"| {title} | {time_words(ours)} | {' | '.join(cells)} |")
    return out


def rivals_page() -> str:
    """Return results/rivals.md: one table, and the goal of each row."""
    rows = read("rivals")
    about = json.loads((RESULTS / "machine.json").read_text(encoding="utf-8"))
    lines = ["# bestby beside other tools", "", *heading(about)]
    lines += [
        SEVERAL_RUNS,
        "ᵖ: a percentile interval.",
        "",
        *times_table(rows, anchored=False),
        "",
        "## Goals",
        "",
    ]
    lines += [f"- {job[0]['job']} – {goal_line(job)}" for job in grouped(rows)]
    return "\n".join(lines) + "\n"


def memory_table(rows: Sequence[Row]) -> list[str]:
    used = [tool for tool in TOOLS if any(row["tool"] == tool for row in rows)]
    out = [f"| job | bestby | {' | '.join(used)} |", f"|---|--:|{'--:|' * len(used)}"]
    for job in grouped(rows):
        held = {row["tool"]: f"{int(row['peak_mb']):,}" for row in job}
        out.append(f"| {job[0]['job']} | {held['bestby']} | {' | '.join(held.get(t, '') for t in used)} |")
    return out


REASONS = {
    "by preferences, prompts and voters": "The judgements are sorted by prompt and by voter, and each"
    " heavy cluster is left out of the model in turn.",
    "systems by preferences": "choix fits strengths alone; bestby's call also reads columns of texts and"
    " makes standard errors, the effect of order, all differences, ranks and the test of fit.",
    "Spearman, interval only": "Three columns of numbers are sorted, and concordant pairs counted.",
    "systems by accuracy": "Twenty million labels are checked, coded and hashed, and right answers counted.",
    "interval only": "Nothing is drawn: what is left are the derivatives of both scores by the weight of"
    " each item, and the fixed cost of a call.",
    "permutation test only": "The swaps are drawn and scored in half of the time; the fixed cost of a call"
    " takes the other half.",
    "McNemar's exact test only": "What is left is the fixed cost of a call: labels are checked, coded,"
    " counted and hashed, and notes made. SciPy's is the binomial test of two counts.",
    "F1|Matthews": "A resample draws one binomial number per row of the table of gold × A × B, however many"
    " the items: most of the time. Rivals draw items, which are few here.",
    "McNemar": "`compare` also makes Tango's interval, those of both scores and the notes; SciPy's is the"
    " binomial test of two counts.",
    "Pearson": "A resample weights the sums of every item; so do the rivals, in NumPy as well. bestby's call"
    " has the intervals of both scores besides.",
    "Spearman|ROC-AUC": "Every resample is ranked anew, in a few passes over the items; the rivals"
    " sort, in C.",
    "accuracy|mean of scores": "Nothing is drawn: what is left is the fixed cost of a call, its checks and"
    " notes.",
    "hard labels": "Labels are counted once and few cells resampled: what is left is the fixed"
    " cost of a call.",
    "soft labels": "A resample gathers seventeen columns of every item drawn, in NumPy: half of the time and"
    " more. The rival gathers the same rows, and takes its metrics of them in NumPy.",
    "BLEU": "Cutting texts into words and counting n-grams is most of the time in both.",
    "stochastic order": "Half of the time goes into a p-value, which the rival does not give.",
    "runs": "`compare_runs` also makes intervals, effect sizes, the chance of improvement and stochastic"
    " order with 1,000 resamples; the rivals the test alone.",
}
"""Why a goal is missed, by what is in the goal or in the name of the job."""


def reason(job: str, told: str) -> str:
    """Return why a goal is missed; nothing if that is not known."""
    for words, why in REASONS.items():
        if any(word in (told if words == "memory" else job) for word in words.split("|")):
            return why
    return ""


def goals_table(rows: Sequence[Row]) -> list[str]:
    """Return the goals that are missed and why, and all goals."""
    every = [(job[0]["job"], told, met) for job in grouped(rows) for told, met in goals(job)]
    out = ["| missed: job | goal | why |", "|---|---|---|"]
    out += [f"| {name} | {told} | {reason(name, told)} |" for name, told, met in every if not met]
    out += ["", "| met: job | goal |", "|---|---|"]
    return out + [f"| {name} | {told} |" for name, told, met in every if met]


def counted(rows: Sequence[Row]) -> str:
    """Return how many goals are met."""
    every = [met for job in grouped(rows) for _, met in goals(job)]
    return f"{sum(every)} of {len(every)} goals are met"


def growth_table(rows: Sequence[Row]) -> list[str]:
    """Return first and last point of each line of the figure; a growth beyond n log n is marked."""
    out = [
        "| grows | metric | from | to | time from | time to | × n log n |",
        "|---|---|--:|--:|--:|--:|--:|",
    ]
    for axis, measure in dict.fromkeys((row["axis"], row["measure"]) for row in rows):
        mine = [row for row in rows if (row["axis"], row["measure"]) == (axis, measure)]
        n, most = (int(mine[place]["value"]) for place in (0, -1))
        taken, longest = (float(mine[place]["milliseconds"]) for place in (0, -1))
        share = ""
        if axis in ("n", EVERY) and most > n:
            times = longest / taken / (most * math.log(most) / (n * math.log(n)))
            share = f"**{times_words(times)}**" if times > 1.0 else times_words(times)
        from_to = f"{n:,} | {most:,} | {time_words(taken)} | {time_words(longest)}"
        out.append(f"| {axis} | {measure} | {from_to} | {share} |")
    return out


def plain_table(titles: Sequence[str], rows: Sequence[Row]) -> list[str]:
    out = [f"| {' | '.join(titles)} |", f"|---|{'--:|' * (len(titles) - 1)}"]
    return out + [f"| {' | '.join(str(value) for value in row.values())} |" for row in rows]


def reading_table() -> list[str]:
    """Return the section on reading and coding, once it was measured."""
    if not (RESULTS / "reading.csv").exists():
        return []
    rows = [
        {
            "job": row["job"],
            "time": time_words(float(row["cpu_ms"])),
            "asked": time_words(float(row["asked_ms"])),
            "library alone": time_words(float(row["floor_cpu_ms"])),
            "peak": f"{float(row['peak_mb']):.0f} MB",
        }
        for row in read("reading")
    ]
    titles = ["a million items of two systems", "CPU", "asked", "floor", "peak"]
    return [READING, *plain_table(titles, rows), *reading_reasons()]


def reading_reasons() -> list[str]:
    """Return why rows of the section on reading miss what is asked."""
    missed = [row for row in read("reading") if row["met"] == "False"]
    floors = [row["job"] for row in missed if float(row["floor_cpu_ms"]) > float(row["asked_ms"])]
    out = []
    if floors:
        out += ["", f"The floor itself is above what is asked of: {'; '.join(floors)}."]
    if any(row["job"] == "scores, arrays" for row in missed):
        out += ["", SCORES]
    return out


def start_up_table() -> list[str]:
    """Return the section on whole processes."""
    rows = [
        {
            "command": f"`{row['command']}`",
            "cpu": time_words(float(row["cpu_ms"])),
            "asked": time_words(float(row["at_most_ms"])) if row["at_most_ms"] else "",
        }
        for row in read("startup")
    ]
    return [START_UP, *plain_table(["command", "CPU", "asked: at most"], rows)]


def many_systems_table() -> list[str]:
    """Return the section on hundreds of systems, once it was measured."""
    if not (RESULTS / "many_systems.csv").exists():
        return []
    rows = [
        {
            "job": f"{row['data']} of {int(row['systems']):,} systems, {int(row['pairs']):,} pairs",
            "compared": f"{float(row['compare_s']):.1f} s",
            "written": f"{float(row['json_s']):.1f} s",
            "peak": f"{float(row['peak_mb']):.0f} MB",
        }
        for row in read("many_systems")
    ]
    return [MANY_SYSTEMS, *plain_table(["10,000 items", "compared", "JSON written", "peak"], rows)]


def benchmarks_page() -> str:
    """Return docs/concepts/benchmarks.md."""
    rows = read("rivals")
    about = json.loads((RESULTS / "machine.json").read_text(encoding="utf-8"))
    parts = (
        HEAD,
        heading(about),
        SEVERAL_RUNS.rstrip("\n"),
        TIME,
        times_table(rows, anchored=True),
        [GOALS.format(times=TIMES_OTHERS, counted=counted(rows))],
        goals_table(rows),
        MEMORY,
        memory_table(rows),
        start_up_table(),
        GROWTH,
        growth_table(read("growth")),
        reading_table(),
        many_systems_table(),
    )
    lines = (line for part in parts for line in ([part] if isinstance(part, str) else part))
    return "\n".join(lines) + "\n"


HEAD = """\
# Benchmarks

What the same work costs bestby and other tools, side by side on the same data. `make bench` measures all of
it and makes this page; the figures behind it are in `benchmarks/results`, how each tool is called is in
`benchmarks/rivals.py`. An interval that is made quickly and does not cover is worth nothing: for that see
[choosing an interval](../guides/choosing-an-interval.md).
"""
TIME = """
## Time

bestby's time is that of the whole call of `compare`: checks, statistics, the interval of the difference and
of each system's own score, a test. The others give one interval or one test, as the job says. In brackets:
times the time of bestby. ᵖ: a percentile interval, where the tool has no other, or where its jackknife takes
n × n steps and n is above 1,000. BooStSa draws a fifth of the items, and so does bestby in its rows.
Words are split by the rules of sacrebleu in both of their columns; bestby counts n-grams by itself.
"""
GOALS = """
## Goals

Asked are 100 times the speed of BootCI, deepsig and BooStSa on their own jobs (1,000 for intervals of
macro-F1, for stochastic order and for hard labels, 10,000 for an interval of macro-F1 without a test),
{times} times that of the quickest other tool, never to be slower than any, and no more memory than the
largest rival. Some jobs have a limit of time besides. {counted}.
"""
MEMORY = """
## Memory

The peak of the process of each job, in MB, imports included. A rival that drew fewer resamples than asked
would need more.
"""
GROWTH = """
## Growth

What does not grow in a panel is n = 1,000, two systems, one metric, and 10,000 resamples (1,000 for Pearson
and ROC-AUC). "items, every metric" are two systems by every metric with a name that reads arrays, as
`compare` does it by default. The last column is by how many times as much the time grows as n log n: more
than once, in bold, is faster than that.

![Time of a call as items, resamples, systems and metrics grow](../images/growth.svg)
"""
START_UP = """
## Start-up

CPU time of whole processes.
"""
READING = """
## Reading

The CPU time of a second call in a process: text labels by accuracy, or scores by their mean, from where they
are. The floor is what the library that reads takes to make codes, or numbers, of the same columns and nothing
else.
"""
SCORES = """\
A comparison of a million scores passes over them some dozens of times. They are hashed, and the powers of the
scores of each system and of the differences are added up, for the exact bootstrap distribution of each. The
differences are sorted for the exact test, which takes a third of the time or more."""
MANY_SYSTEMS = """
## Hundreds of systems

Every pair by accuracy or by the mean of scores 0/1, each row in a process of its own, by the clock. Asked are
8 s for 1,000 systems compared and written as JSON.
"""


def make() -> None:
    """Write both pages, if everything has been measured once."""
    files = ("rivals.csv", "machine.json", "startup.csv", "growth.csv")
    missing = [name for name in files if not (RESULTS / name).exists()]
    if missing:
        print(f"no pages yet: {', '.join(missing)} not measured")
        return
    TABLE.write_text(rivals_page(), encoding="utf-8")
    PAGE.write_text(benchmarks_page(), encoding="utf-8")


if __name__ == "__main__":
    make()
