"""The small examples of the guides on translation, speech, parsing and retrieval can be made again."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).resolve().parents[3] / "examples"
BABEL = "2.18.0"

pytestmark = pytest.mark.skipif(
    not FOLDER.is_dir(), reason="examples/ is not beside the tests (they run against a wheel)"
)


@pytest.mark.parametrize(
    "name",
    [
        "translation",
        "retrieval",
        "operations",
        "training",
        pytest.param("handwriting", marks=pytest.mark.slow),
        pytest.param("parsing", marks=pytest.mark.slow),
    ],
)
def test_the_files_are_made_again_byte_for_byte(tmp_path: Path, name: str) -> None:
    babel = pytest.importorskip("babel", reason="remaking the example needs Babel")
    pytest.importorskip("sklearn", reason="remaking the example needs scikit-learn")
    if babel.__version__ != BABEL:
        pytest.skip(f"the files were made with Babel {BABEL}; {babel.__version__} may know other names")
    if name == "parsing" and sys.version_info[:2] != (3, 11):
        pytest.skip("the expressions were written and cut into tokens by Python 3.11")
    spec = importlib.util.spec_from_file_location(f"{name}_make_data", FOLDER / name / "make_data.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses and named tuples look themselves up
    try:
        spec.loader.exec_module(module)
        module.main(tmp_path)
    finally:
        del sys.modules[spec.name]
    made = sorted(path.name for path in tmp_path.iterdir())
    assert made == sorted(
        path.name
        for path in (FOLDER / name).iterdir()
        if path.is_file() and path.suffix not in (".py", ".md")
    )
    for file in made:
        assert (tmp_path / file).read_bytes() == (FOLDER / name / file).read_bytes(), file
