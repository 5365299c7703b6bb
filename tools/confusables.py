"""Write the table of look-alike characters of boards anew from Unicode's confusables.txt.

    python tools/confusables.py confusables.txt

The file is that of https://www.unicode.org/Public/security/latest/. Names are brought into NFKD before they
are looked up, so that characters which this changes are left out. The head with the licence stays.
"""

from __future__ import annotations

import re
import sys
import unicodedata
from pathlib import Path

TABLE = Path(__file__).resolve().parents[1] / "src" / "bestby" / "boards" / "assets" / "confusables.txt"


def table(source: str, before: str) -> str:
    """Return the table, from the text of Unicode's file and the table before."""
    (version,) = re.findall(r"^# Version: (\S+)", source, re.MULTILINE)
    head = re.sub(r"of Unicode [\d.]+", f"of Unicode {version}", before[: before.index("\n\n") + 2])
    rows = re.findall(r"^\ufeff?([0-9A-F]+) ;\t([0-9A-F ]+) ;", source, re.MULTILINE)
    kept = sorted((int(one, 16), others) for one, others in rows if _is_stable(chr(int(one, 16))))
    return head + "".join(f"{one:04X} {others}\n" for one, others in kept)


def _is_stable(one: str) -> bool:
    return unicodedata.normalize("NFKD", one) == one


if __name__ == "__main__":
    text = table(Path(sys.argv[1]).read_text(encoding="utf-8"), TABLE.read_text(encoding="utf-8"))
    TABLE.write_text(text, encoding="utf-8")
