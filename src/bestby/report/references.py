"""The works behind the methods: which method is from which work, and the works as BibTeX.

The entries themselves are in `assets/references.bib`. Texts cite them as Pandoc does,
``[@holm-1979-simple]``, and `rendered` writes these citations as text, as LaTeX or as they are.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import cache, partial
from importlib import resources
from typing import Literal, TypeAlias, get_args

from bestby._core import checks
from bestby._core.text import visible
from bestby._version import __version__

Style: TypeAlias = Literal["text", "latex", "markdown"]
STYLES: tuple[Style, ...] = get_args(Style)

_ORDER = ("del-barrio-etal-2018-optimal", "dror-etal-2019-deep", "ulmer-etal-2022-deep")
_CORRECTED_T = ("nadeau-bengio-2003-inference",)
_CONSERVATIVE_T = (*_CORRECTED_T, "bouckaert-frank-2004-evaluating")
_CROSSED = ("searle-etal-1992-variance", "satterthwaite-1946-approximate")
_FACETS = ("satterthwaite-1946-approximate", "cochran-1964-approximate")
_STRATIFIED = ("cochran-1977-sampling", "satterthwaite-1946-approximate")
_CR2 = ("bell-mccaffrey-2002-bias", "pustejovsky-tipton-2018-small")
_HALL = ("hall-1992-removal",)
_POWERED = ("angelopoulos-etal-2023-ppi",)
_REDRAWN = ("zrnic-2024-note", "efron-1981-nonparametric", "hesterberg-2015-teachers")
_BOOTSTRAP = ("efron-tibshirani-1993-introduction",)
_REPLICABILITY = ("dror-etal-2017-replicability", "benjamini-heller-2008-screening")

SOURCES: dict[str, dict[str, tuple[str, ...]]] = {
    "test": {
        "permutation": ("noreen-1989-computer",),
        "permutation-standardised": ("noreen-1989-computer",),
        "bootstrap": _BOOTSTRAP,
        "mcnemar": ("mcnemar-1947-note",),
        "mcnemar-midp": ("mcnemar-1947-note", "fagerland-etal-2013-mcnemar"),
        "sign": ("dixon-mood-1946-statistical",),
        "wilcoxon": ("wilcoxon-1945-individual",),
        "t": ("student-1908-probable",),
        "wald": _CR2,
        "likelihood-ratio": ("wilks-1938-large",),
        "hall": _HALL,
        "brunner-munzel": ("brunner-munzel-2000-nonparametric",),
        "permutation-2": ("pitman-1937-significance",),
        "welch": ("welch-1938-significance",),
        "chi-squared": ("campbell-2007-chi",),
        "fisher": ("campbell-2007-chi",),
        "mann-whitney": ("mann-whitney-1947-test",),
        "yuen": ("yuen-1974-two",),
        "price-bonett": ("bonett-price-2002-statistical",),
        "bootstrap-runs": _BOOTSTRAP,
        "stratified-t": _STRATIFIED,
        "stratified-hall": (*_STRATIFIED, *_HALL),
        "crossed-t": _CROSSED,
        "crossed-bootstrap": ("owen-2007-pigeonhole",),
        "mixture-t": _FACETS,
        "corrected-t": _CORRECTED_T,
        "conservative-t": _CONSERVATIVE_T,
        "5x2cv-f": ("alpaydin-1999-combined",),
        "5x2cv-t": ("dietterich-1998-approximate",),
        "k-bonferroni": _REPLICABILITY,
        "powered-t": _POWERED,
        "powered-score": _POWERED,
        "powered-bootstrap": _REDRAWN,
    },
    "interval": {
        "tango": ("tango-1998-equivalence",),
        "calibration": ("zou-donner-2008-construction",),
        "wilson": ("wilson-1927-probable",),
        "wilson-midp": ("wilson-1927-probable", "berry-armitage-1995-mid"),
        "fisher-z": ("fisher-1921-probable", *_HALL),
        "mixture-score": ("wilson-1927-probable",),
        "bca-expanded": ("efron-1987-better", "hesterberg-2015-teachers"),
        "bca": ("efron-1987-better",),
        "abc": ("diciccio-efron-1992-more",),
        "percentile": _BOOTSTRAP,
        "basic": ("davison-hinkley-1997-bootstrap",),
        "studentized": ("davison-hinkley-1997-bootstrap",),
        "normal": ("davison-hinkley-1997-bootstrap",),
        "cr2": _CR2,
        "hall": _HALL,
        "hall-wide": _HALL,
        "two-way": ("cameron-etal-2011-robust",),
        "unseen": ("wilson-1927-probable", "tango-1998-equivalence"),
        "max-t": ("romano-wolf-2005-exact",),
        "t": ("student-1908-probable",),
        "log-t": ("cochran-1977-sampling",),
        "mixture-t": _FACETS,
        "generalised": ("weerahandi-1993-generalized",),
        "welch": ("welch-1938-significance",),
        "yuen": ("yuen-1974-two",),
        "price-bonett": ("bonett-price-2002-statistical",),
        "stratified-t": _STRATIFIED,
        "stratified-hall": (*_STRATIFIED, *_HALL),
        "crossed-t": _CROSSED,
        "newcombe": ("newcombe-2006-confidence",),
        "wald": _CR2,
        "likelihood-ratio": ("wilks-1938-large",),
        "odds": ("wilson-1927-probable", "tango-1998-equivalence"),
        "newcombe-difference": ("newcombe-1998-interval",),
        "corrected-t": _CORRECTED_T,
        "conservative-t": _CONSERVATIVE_T,
        "powered-t": (*_POWERED, *_CR2),
        "powered-bootstrap": _REDRAWN,
        "rogan-gladen": ("rogan-gladen-1978-estimating", "lee-etal-2025-correctly"),
        "powered-score": (*_POWERED, "wilson-1927-probable", "tango-1998-equivalence"),
        "betting": ("waudby-smith-ramdas-2024-estimating", "waudby-smith-ramdas-2020-confidence"),
        "asymptotic": ("waudby-smith-etal-2024-time", "maurer-pontil-2009-empirical"),
        "normal-mixture": ("howard-etal-2021-time",),
        "obrien-fleming": ("obrien-fleming-1979-multiple", "jennison-turnbull-2000-group"),
        "pocock": ("pocock-1977-group", "jennison-turnbull-2000-group"),
        "spending-obrien-fleming": ("lan-demets-1983-discrete", "jennison-turnbull-2000-group"),
        "spending-pocock": ("lan-demets-1983-discrete", "jennison-turnbull-2000-group"),
    },
    "correction": {
        "holm": ("holm-1979-simple",),
        "bonferroni": ("dunn-1961-multiple",),
        "step-down": ("romano-wolf-2005-exact",),
        "max-t": ("romano-wolf-2005-exact",),
        "simultaneous": ("romano-wolf-2005-exact",),
        "bh": ("benjamini-hochberg-1995-controlling",),
    },
    "omnibus": {
        "cochran_q": ("cochran-1950-comparison",),
        "friedman": ("friedman-1937-use",),
    },
    "heterogeneity": {
        "permutation-q": ("cochran-1954-combination", "pauly-etal-2015-asymptotic"),
        "welch-q": ("cochran-1954-combination", "welch-1951-comparison"),
        "hotelling": ("cochran-1954-combination", "hotelling-1931-generalization"),
    },
    "agreement": {
        "alpha": ("krippendorff-2011-computing",),
        "fleiss": ("fleiss-1971-measuring",),
        "cohen": ("cohen-1960-coefficient", "cohen-1968-weighted"),
        "ac": ("gwet-2008-computing",),
        "icc": ("mcgraw-wong-1996-forming", "shrout-fleiss-1979-intraclass"),
        "isolated": ("vanbelle-albert-2009-agreement",),
        "difference": ("zou-2007-toward",),
        "specific": ("feinstein-cicchetti-1990-high", "cicchetti-feinstein-1990-high"),
    },
    "facets": {
        "components": ("henderson-1953-estimation", "brennan-2001-generalizability"),
        "draws": ("weerahandi-1993-generalized",),
    },
    "attempts": {
        "pass@k": ("chen-etal-2021-evaluating",),
        "pass^k": ("yao-etal-2024-tau",),
        "band": ("hothorn-etal-2008-simultaneous",),
        "wilson": ("wilson-1927-probable",),
        "difference": ("zou-donner-2008-construction",),
    },
    "frontier": {
        "union": ("berger-1982-multiparameter",),
        "steps": ("holm-1979-simple", "romano-etal-2014-practical"),
        "ratio": ("cochran-1977-sampling",),
    },
    "metric": {
        "bleu": ("papineni-etal-2002-bleu", "post-2018-call"),
        "chrf": ("popovic-2015-chrf",),
        "chrf++": ("popovic-2015-chrf", "popovic-2017-chrf"),
        "meteor": ("banerjee-lavie-2005-meteor",),
        "rouge": ("lin-2004-rouge",),
        "ter": ("snover-etal-2006-study",),
    },
    "model": {
        "half": ("bradley-terry-1952-rank",),
        "davidson": ("davidson-1970-extending", "davidson-beaver-1977-order"),
    },
    "analysis": {
        "advice": ("dror-etal-2018-hitchhikers",),
        "allocation": ("brennan-2001-generalizability",),
        "jeffreys": ("firth-1993-bias",),
        "equivalence": ("schuirmann-1987-comparison",),
        "judge": _POWERED,
        "judge and labels": (*_POWERED, "zrnic-2024-note"),
        "judge by error rates": ("rogan-gladen-1978-estimating", "lee-etal-2025-correctly"),
        "judge in strata": (*_POWERED, "fisch-etal-2024-stratified"),
        "judge and probabilities": (*_POWERED, "hajek-1971-comment"),
        "exact permutation": ("zmigrod-etal-2022-exact",),
        "intervals": ("bestgen-2022-please",),
        "interquartile mean": ("agarwal-etal-2021-precipice",),
        "improvement over datasets": ("agarwal-etal-2021-precipice",),
        "optimality gap": ("agarwal-etal-2021-precipice",),
        "loss beyond a margin": (
            "tango-1998-equivalence", "sidik-2003-exact", "berger-boos-1994-values",
        ),
        "set of the best": ("hsu-1984-constrained", "romano-wolf-2005-exact"),
        "leader": ("stone-1974-cross",),
        "rank of one": ("mogstad-etal-2024-inference",),
        "change of sign": ("gail-simon-1985-testing",),
        "shrunken effects": ("dersimonian-laird-1986-meta",),
        "detectable": ("bloom-1995-minimum",),
        "normality": (
            "shapiro-wilk-1965-analysis", "lilliefors-1967-kolmogorov", "stephens-1974-edf",
        ),
        "permutation by chance": ("phipson-smyth-2010-permutation",),
        "permutation by saddlepoint": ("robinson-1982-saddlepoint", "sadowsky-bucklew-1990-large"),
        "power": ("card-etal-2020-little",),
        "ranks": ("demsar-2006-statistical",),
        "replicability": _REPLICABILITY,
        "prediction-powered": (*_POWERED, "cochran-1977-sampling"),
        "sampling": ("cochran-1977-sampling",),
        "stochastic order": _ORDER,
        "soft labels": ("fornaciari-etal-2022-hard",),
    },
}  # fmt: skip
"""The keys of the works that each method is from: tests, intervals and so on as the vocabulary names them."""

SOFTWARE = "bestby"
"""The key of the package itself, whose version is not fixed in the file."""

_ENTRY = re.compile(r"@\w+\{([^,]+),\n.*?\n\}\n", re.DOTALL)
_FIELD = re.compile(r"^  (\w+) *= \{(.*)\},?$", re.MULTILINE)
_CITATION = re.compile(r"\[@[\w-]+(?:; @[\w-]+)*\]")
_METRIC = re.compile(r"(?:bleu|chrf\+\+|chrf|meteor|rouge|ter)(?![a-z])")
_LETTERS = {"{\\i}": "ı", "{\\'c}": "ć", "{\\v{s}}": "š", "{\\'a}": "á"}


@cache
def works() -> dict[str, str]:
    """Return the BibTeX entries by key: the package, the four works it brings together, then by name."""
    path = resources.files("bestby.report").joinpath("assets", "references.bib")
    entries = {entry[1]: entry[0] for entry in _ENTRY.finditer(path.read_text(encoding="utf-8"))}
    return {SOFTWARE: _software(__version__), **entries}


def _software(version: str) -> str:
    return (
        f"@misc{{{SOFTWARE},\n"
        "  title  = {bestby: Which System Is Best, by How Much, and How Sure},\n"
        "  author = {{The bestby authors}},\n"
        f"  note   = {{Python package, version {version}}}\n"
        "}\n"
    )


def bibtex(keys: Iterable[str] | None = None, version: str = __version__) -> str:
    """Return works as BibTeX, each once: those of some keys, or all of them.

    >>> bibtex(["holm-1979-simple"]).splitlines()[0]
    '@article{holm-1979-simple,'
    """
    every_work = works() | {SOFTWARE: _software(version)}
    return "\n".join(every_work[key] for key in dict.fromkeys(every_work if keys is None else keys))


def cite(kind: str, *names: str) -> str:
    """Return the citation of methods of one kind, after a blank; nothing for what has no source.

    >>> cite("interval", "tango"), cite("correction", "none")
    (' [@tango-1998-equivalence]', '')
    """
    keys = dict.fromkeys(key for name in names for key in SOURCES[kind].get(name, ()))
    return f" [{'; '.join(f'@{key}' for key in keys)}]" if keys else ""


def cite_metric(name: str) -> str:
    """Return the citation of a metric of texts, with whichever options; nothing for other metrics.

    >>> cite_metric("chrf"), cite_metric("rougeL"), cite_metric("accuracy")
    (' [@popovic-2015-chrf]', ' [@lin-2004-rouge]', '')
    """
    stem = _METRIC.match(getattr(name, "name", name))  # that of a metric under a label
    return cite("metric", stem[0]) if stem else ""


def cited(text: str) -> tuple[str, ...]:
    """Return the keys that a text cites, in its order, each once.

    >>> cited("By Holm [@holm-1979-simple] and by Holm [@holm-1979-simple; @dunn-1961-multiple].")
    ('holm-1979-simple', 'dunn-1961-multiple')
    """
    return tuple(dict.fromkeys(key for keys in _CITATION.findall(text) for key in _keys(keys)))


def _keys(citation: str) -> list[str]:
    keys = [part.strip().removeprefix("@") for part in citation.strip("[]").split(";")]
    return keys if all(key in works() for key in keys) else []


def rendered(text: str, style: Style = "text") -> str:
    r"""Return a text with its citations written for a style.

    >>> rendered("By Holm [@holm-1979-simple], 5 %."), rendered("By Holm [@holm-1979-simple], 5 %.", "latex")
    ('By Holm (Holm, 1979), 5 %.', 'By Holm \\citep{holm-1979-simple}, 5 \\%.')
    """
    checks.choice(style, STYLES, "style")
    plain, write = _writers(style)
    parts, end = [], 0
    for citation in _CITATION.finditer(text):
        if keys := _keys(citation[0]):
            parts += [plain(text[end : citation.start()]), write(keys)]
            end = citation.end()
    return "".join([*parts, plain(text[end:])])


def _writers(style: Style) -> tuple[Callable[[str], str], Callable[[list[str]], str]]:
    """Return what writes the text between the citations, and what writes a citation."""
    if style == "latex":
        from bestby.report.writers.latex import escape as escape_latex

        return partial(_blanks_kept, escape_latex), lambda keys: f"\\citep{{{','.join(keys)}}}"
    if style == "markdown":
        from bestby.report.writers.markdown import escape as escape_markdown

        escape = partial(_blanks_kept, escape_markdown)
        return escape, lambda keys: f"[{'; '.join(f'@{key}' for key in keys)}]"
    return visible, lambda keys: f"({'; '.join(map(label, keys))})"


def _blanks_kept(escape: Callable[[str], str], text: str) -> str:
    """Return a part of a line escaped, with the blanks at its ends, which escaping removes."""
    start, end = text[: len(text) - len(text.lstrip())], text[len(text.rstrip()) :]
    return f"{start}{escape(text)}{end}" if text.strip() else text


def label(key: str) -> str:
    """Return how a text names a work: authors and year.

    >>> label("holm-1979-simple"), label("dror-etal-2019-deep"), label("del-barrio-etal-2018-optimal")
    ('Holm, 1979', 'Dror et al., 2019', 'del Barrio et al., 2018')
    """
    if key == SOFTWARE:
        return "The bestby authors"
    values = dict(_FIELD.findall(works()[key]))
    authors = values["author"]
    for written, letter in _LETTERS.items():
        authors = authors.replace(written, letter)
    names = [author.partition(",")[0] for author in authors.split(" and ")]
    shown = f"{names[0]} et al." if len(names) > 2 else " and ".join(names)
    return f"{shown}, {values['year']}"
