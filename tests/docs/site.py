"""Builds the documentation as a site, from docs/ into site/: `make docs`, or `python -m tests.docs.site`.

A page's place in the navigation is its line in the list of its folder's index page.
"""

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from tempfile import TemporaryDirectory

TOP = Path(__file__).parents[2]
DOCS = TOP / "docs"
BUILT = TOP / "site"
LINE = re.compile(
    r"^## (?P<section>.+)$|^- (?P<number>\d+ )?\[(?P<title>[^\]]+)\]\((?P<page>[\w./-]+\.md)\)", re.MULTILINE
)
"""What counts in an index page: headings, and the items of lists that begin with a link to a page."""

Navigation = list["str | dict[str, str | Navigation]"]


@dataclass(frozen=True)
class Entry:
    """A page as an index page lists it: below which heading (empty before the first), and by which title."""

    section: str
    title: str
    page: Path


def entries(index: Path) -> Iterator[Entry]:
    """The pages that an index page lists, in its order."""
    section = ""
    for line in LINE.finditer(index.read_text(encoding="utf-8")):
        if line["section"]:
            section = line["section"].strip()
        else:
            yield Entry(section, f"{line['number'] or ''}{line['title']}", (index.parent / line["page"]).resolve())


def navigation(docs: Path = DOCS) -> Navigation:
    """What the site shows at the side: the entries of docs/index.md, and below each folder those of its index."""

    def place(page: Path) -> str:
        return page.relative_to(docs).as_posix()

    def within(index: Path) -> Navigation:
        shown: Navigation = [place(index)]
        for section, listed in groupby(entries(index), lambda entry: entry.section):
            below: Navigation = [{entry.title: place(entry.page)} for entry in listed]
            shown += [{section: below}] if section else below
        return shown

    whole: Navigation = [{"Start": "index.md"}]
    for entry in entries(docs / "index.md"):
        folder = entry.page.name == "index.md"
        whole.append({entry.title: within(entry.page) if folder else place(entry.page)})
    return whole


def pages(shown: str | Navigation) -> Iterator[str]:
    """Every page that a navigation has, as often as it has it."""
    if isinstance(shown, str):
        yield shown
    else:
        for entry in shown:
            for below in [entry] if isinstance(entry, str) else entry.values():
                yield from pages(below)


def configuration(docs: Path = DOCS) -> str:
    """The text of zensical.toml with the navigation in it. TOML writes strings as JSON does, but tables differently."""

    def toml(value: object) -> str:
        if isinstance(value, dict):
            return "{ " + ", ".join(f"{json.dumps(name)} = {toml(each)}" for name, each in value.items()) + " }"
        return f"[{', '.join(map(toml, value))}]" if isinstance(value, list) else json.dumps(value)

    settings = (TOP / "zensical.toml").read_text(encoding="utf-8")
    return settings.replace("[project]\n", f"[project]\nnav = {toml(navigation(docs))}\n", 1)


def build(into: Path, docs: Path = DOCS) -> subprocess.CompletedProcess[str]:
    """Builds the site in a folder of its own, and puts it where it shall be if nothing is wrong."""
    with TemporaryDirectory() as folder:
        bench = Path(folder)
        shutil.copytree(docs, bench / "docs")
        (bench / "zensical.toml").write_text(configuration(docs), encoding="utf-8")
        command = [sys.executable, "-m", "zensical", "build", "--strict"]
        run = subprocess.run(command, cwd=bench, capture_output=True, text=True, check=False)
        if run.returncode == 0:
            shutil.rmtree(into, ignore_errors=True)
            shutil.move(bench / "site", into)
        return run


def main() -> None:
    run = build(BUILT)
    if run.returncode != 0:
        sys.exit(run.stdout + run.stderr)
    print(f"wrote {BUILT.relative_to(TOP)}/index.html")


if __name__ == "__main__":
    main()
