"""Parse expressions of Python with three small dependency parsers, and write CoNLL-U.

The expressions are those of the modules of Babel; the trees follow Python's own syntax trees: an operator is
the head of its operands, the name of a function of its arguments, and brackets hang on what they belong to.

Run it from anywhere: ``python examples/parsing/make_data.py [FOLDER]``. It is deterministic: the same Babel,
scikit-learn and Python grammar give the same files, byte for byte.
"""

from __future__ import annotations

import ast
import io
import keyword
import sys
import tokenize
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import babel
from sklearn.feature_extraction import DictVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.tree import DecisionTreeClassifier

TEST = ("dates", "lists", "localedata", "numbers", "plural", "support", "units", "util")
SHORTEST, LONGEST = 5, 16
PER_MODULE = 40


class Token(NamedTuple):
    """A token with its head, counted from 1, and its relation; the head of the root is 0."""

    form: str
    kind: str
    head: int
    relation: str


def trees(path: Path) -> list[list[Token]]:
    """Return the trees of the different expressions of a module, in the order of their first occurrence."""
    found: dict[str, list[Token]] = {}
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Assign | ast.Return) and node.value is not None:
            text = ast.unparse(node.value)
            if text.isascii() and "\n" not in text and " " not in "".join(strings(text)):
                tree = converted(text)
                if tree is not None and SHORTEST <= len(tree) <= LONGEST:
                    found.setdefault(text, tree)
    return list(found.values())[:PER_MODULE]


def strings(text: str) -> list[str]:
    """Return the tokens of an expression."""
    return [token.string for token in tokens_of(text)]


def tokens_of(text: str) -> list[tokenize.TokenInfo]:
    """Return the tokens of one line, without its end."""
    return [t for t in tokenize.generate_tokens(io.StringIO(text).readline) if t.string.strip()]


def converted(text: str) -> list[Token] | None:
    """Return the tree of an expression; None if it has parts that are not covered."""
    infos = tokens_of(text)
    starts = {info.start[1]: place for place, info in enumerate(infos)}
    ends = {info.end[1]: place for place, info in enumerate(infos)}
    heads: dict[int, tuple[int, str]] = {}

    def arc(node: ast.expr, head: int, relation: str) -> bool:
        below = visit(node)
        if below is not None:
            heads[below] = (head, relation)
        return below is not None

    def visit(node: ast.expr) -> int | None:
        first, last = starts.get(node.col_offset), ends.get(node.end_col_offset or -1)
        if first is None or last is None:
            return None
        match node:
            case ast.Name() | ast.Constant() if first == last:
                return first
            case ast.Attribute():
                return last if arc(node.value, last, "object") else None
            case ast.Call(func=func, args=args, keywords=[]):
                head = visit(func)
                ok = head is not None and all(arc(argument, head, "argument") for argument in args)
                return head if ok else None
            case ast.Subscript(value=value, slice=index):
                head = visit(value)
                return head if head is not None and arc(index, head, "index") else None
            case ast.BinOp(left=left, right=right) | ast.Compare(left=left, comparators=[right]):
                head = operator_after(left)
                ok = arc(left, head, "left") and arc(right, head, "right")
                return head if ok else None
            case ast.UnaryOp(operand=operand):
                return first if arc(operand, first, "operand") else None
            case ast.BoolOp(values=[left, right]):
                head = operator_after(left)
                return head if arc(left, head, "left") and arc(right, head, "right") else None
        return None

    def operator_after(left: ast.expr) -> int:
        """Return the first token after the left operand that is no bracket."""
        between = range(ends[left.end_col_offset or 0] + 1, len(infos))
        return next(place for place in between if infos[place].string not in ")]")

    try:
        root = visit(ast.parse(text, mode="eval").body)
    except KeyError:
        return None
    if root is None:
        return None
    heads[root] = (-1, "root")
    for place in range(
        len(infos)
    ):  # brackets, commas and dots hang on the nearest word with a head before them
        if place not in heads:
            before = [
                other for other in range(place - 1, -1, -1) if heads.get(other, (0, "punct"))[1] != "punct"
            ]
            heads[place] = (before[0] if before else root, "punct")
    return [Token(info.string, kind(info), heads[p][0] + 1, heads[p][1]) for p, info in enumerate(infos)]


def kind(info: tokenize.TokenInfo) -> str:
    """Return the kind of a token, which stands for its part of speech."""
    if info.type == tokenize.NAME:
        return "KEYWORD" if keyword.iskeyword(info.string) else "NAME"
    return {tokenize.NUMBER: "NUMBER", tokenize.STRING: "STRING"}.get(info.type, "OPERATOR")


def features(tree: Sequence[Token], place: int) -> dict[str, str | int]:
    """Return what a parser sees of a token: itself and three neighbours on either side."""
    found: dict[str, str | int] = {"place": place}
    for offset in range(-3, 4):
        inside = 0 <= place + offset < len(tree)
        token = tree[place + offset] if inside else Token("", "NONE", 0, "")
        found[f"kind {offset}"] = token.kind
        found[f"form {offset}"] = token.form if token.kind in ("OPERATOR", "KEYWORD") else "word"
    return found


def made_tree(heads: Sequence[int]) -> list[int]:
    """Return heads that make a tree: one root, nothing above itself, no head outside."""
    inside = [head if 0 <= head <= len(heads) else 0 for head in heads]
    root = inside.index(0) + 1 if 0 in inside else 1
    out = [0 if place == root else (head or root) for place, head in enumerate(inside, 1)]
    for place in range(1, len(out) + 1):
        path = {place}
        above = out[place - 1]
        while above and above not in path:
            path.add(above)
            above = out[above - 1]
        if above:
            out[place - 1] = root
    return out


def chain(train: Sequence[Sequence[Token]], test: Sequence[Sequence[Token]]) -> Iterator[list[Token]]:
    """Hang every token on the one before, with the most frequent relation of its kind."""
    counts = Counter((token.kind, token.relation) for tree in train for token in tree)
    usual = {kind: relation for (kind, relation), _ in reversed(counts.most_common())}
    for tree in test:
        yield [
            t._replace(head=p, relation=usual.get(t.kind, "punct") if p else "root")
            for p, t in enumerate(tree)
        ]


def learned(
    model: LogisticRegression | DecisionTreeClassifier,
    train: Sequence[Sequence[Token]],
    test: Sequence[Sequence[Token]],
) -> Iterator[list[Token]]:
    """Tell from its neighbours how far before or after a token its head is, and by which relation."""
    seen = [features(tree, place) for tree in train for place in range(len(tree))]
    answers = [
        f"{token.head - place if token.head else 0} {token.relation}"
        for tree in train
        for place, token in enumerate(tree, 1)
    ]
    parser = make_pipeline(DictVectorizer(), model).fit(seen, answers)
    for tree in test:
        said = [answer.split() for answer in parser.predict([features(tree, p) for p in range(len(tree))])]
        heads = made_tree(
            [place + int(offset) if offset != "0" else 0 for place, (offset, _) in enumerate(said, 1)]
        )
        yield [
            token._replace(head=head, relation=relation if head else "root")
            for token, head, (_, relation) in zip(tree, heads, said, strict=True)
        ]


def write(path: Path, modules: dict[str, int], parsed: Sequence[Sequence[Token]]) -> None:
    """Write CoNLL-U; a module is a document."""
    lines = []
    rest = iter(parsed)
    for module, size in modules.items():
        lines.append(f"# newdoc id = {module}")
        for _ in range(size):
            for place, (form, tag, head, relation) in enumerate(next(rest), 1):
                lines.append(f"{place}\t{form}\t_\t{tag}\t_\t_\t{head}\t{relation}\t_\t_")
            lines.append("")
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8", newline="\n")


def main(folder: Path) -> None:
    """Make the files."""
    files = sorted(Path(babel.__file__).parent.rglob("*.py"))
    treebank = {path.stem: trees(path) for path in files if path.stem != "__init__"}
    train = [tree for module, found in treebank.items() if module not in TEST for tree in found]
    modules = {module: len(treebank[module]) for module in TEST if treebank[module]}
    test = [tree for module in modules for tree in treebank[module]]
    write(folder / "gold.conllu", modules, test)
    write(folder / "chain.conllu", modules, list(chain(train, test)))
    for name, model in (
        ("tree", DecisionTreeClassifier(min_samples_leaf=2, random_state=0)),
        ("logreg", LogisticRegression(C=3.0, max_iter=2000)),
    ):
        write(folder / f"{name}.conllu", modules, list(learned(model, train, test)))
    print(f"{len(train)} training expressions, {len(test)} test expressions of {len(modules)} modules")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent)
