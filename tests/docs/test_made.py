"""What the pages are made of: nothing that exists is left out, and new things come in by themselves."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from types import SimpleNamespace

import pytest
from docs.shell import ROOT

from docs.builder import gallery, reference
from docs.builder import pages as sources
from docs.builder.gallery import marked
from docs.builder.pages import MARKS, Site
from docs.builder.reference import missing_sources, to_markdown
from docs.builder.scores import read_scorecard
from ppdp_lab.errors import DataFileError, UnknownNameError
from ppdp_lab.lab import scorecard
from ppdp_lab.lab.experiment import ClaimVerdict

DEMO = """
name = "demo"
title = "A demonstration"
notebook = "notebooks/demo.ipynb"
scale = { quick = {}, paper = {} }
[[figure]]
name = "loss"
caption = "Loss against k up to {most}."
source = "Figure 4"
[[figure]]
name = "time"
caption = "Time against k."
[[claim]]
id = "grows"
text = "Loss | grows."
source = "Figure 4a"
kind = "rises"
x = "k"
value = "loss"
[[claim]]
id = "other"
text = "Nothing else."
source = "Figure 40"
kind = "zero"
value = "loss"
"""
HANDED = {"tables": [], "figures": [], "data": [], "chosen": {"most": 9}}
ANSWERED = """def f():
    ### BEGIN SOLUTION
    return 42
    ### END SOLUTION
### BEGIN HIDDEN TESTS
assert f() == 42
### END HIDDEN TESTS
"""
CELLS = [
    ("markdown", "# Demo\n\nWhat it shows."),
    ("code", "most = 9"),
    ("code", "%matplotlib inline\nlab.show(drawings.loss, data=table)"),
    ("code", ANSWERED),
    ("code", "lab.finish(results, [drawings.loss, drawings.time])"),
]


@pytest.fixture
def demo(tmp_path: Path) -> Site:
    tagged = {"metadata": {"tags": ["parameters"]}}
    cells = [{"cell_type": kind, "source": text.splitlines(True)} for kind, text in CELLS]
    cells[1] |= tagged
    for name, text in {
        "experiments/demo/experiment.toml": DEMO,
        "notebooks/demo.ipynb": json.dumps({"cells": cells}),
        "figures/demo/loss.png": "",
        "figures/demo/loss.svg": "",
        "figures/demo/notes.txt": "",
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    return Site(tmp_path)


def verdict(claim: str, text: str, said: str, reason: str = "") -> ClaimVerdict:
    return ClaimVerdict(claim, text, "Figure 4a", "rises", "rises with k", "rho = 1.00 | all", said, reason)


def scored(site: Site) -> list[scorecard.Scored]:
    """Two runs of the demonstration, which agree on one claim and differ on the other."""
    notes = {"scale": "paper", "given": {}, "seed": 1}
    first = [verdict("grows", "Loss | grows.", "holds"), verdict("other", "Nothing else.", "does not hold", "Too few.")]
    second = [first[0], verdict("other", "Nothing else.", "holds")]
    runs = [
        SimpleNamespace(environment=notes | {"provenance": p}, verdicts=v, handed_over=HANDED)
        for p, v in (("made", first), ("real", second))
    ]
    return [scorecard.Scored(site.experiments[0], *runs)]


def test_a_scorecard_is_read_as_it_was_written(demo: Site, tmp_path: Path) -> None:
    path = tmp_path / "figures" / "SCORECARD.md"
    path.write_text(scorecard.markdown(scored(demo), figures=True))
    card = read_scorecard(path)["demo"]
    assert (card.title, card.made) == ("A demonstration", "scale paper; data made and real; seed 1")
    assert list(card.claims) == ["Loss | grows.", "Nothing else."]
    assert card.claims["Nothing else."].outcomes == {
        "stand-in": ("rho = 1.00 | all", "does not hold"), "real rows": ("rho = 1.00 | all", "holds")
    }  # fmt: skip
    assert card.captions == {"loss": "Loss against k up to 9.", "time": "Time against k."}
    assert card.reasons == {"other": [("stand-in", "Too few.")]}
    assert card.summary() == "stand-in: 1 holds, 1 does not hold; real rows: 2 hold"
    path.write_text("# Scorecard\n\n## what is this\n")
    with pytest.raises(DataFileError, match="line 3: not the heading of an experiment"):
        read_scorecard(path)


def test_the_committed_scorecard_is_read_to_the_last_claim() -> None:
    path = ROOT / "figures" / "SCORECARD.md"
    counted = re.search(r"^(\d+) claims: (\d+) holds?", path.read_text(encoding="utf-8"), re.MULTILINE)
    firsts = [next(iter(c.outcomes.values())) for card in read_scorecard(path).values() for c in card.claims.values()]
    assert counted and len(firsts) == int(counted[1]) and sum(v == "holds" for _, v in firsts) == int(counted[2])


def test_an_experiments_page_has_figures_claims_verdicts_and_reasons(demo: Site, tmp_path: Path) -> None:
    page = demo.made()["gallery/demo.md"]
    assert page.count(gallery.NOT_JUDGED) == 2 and "Not judged yet" in page, "without a scorecard it says so"
    assert "Loss against k up to *most*. *Redraws" in page
    (tmp_path / "figures" / "SCORECARD.md").write_text(scorecard.markdown(scored(demo), figures=True))
    page = Site(tmp_path).made()["gallery/demo.md"]
    assert "Loss against k up to 9. *Redraws" in page
    first, further = page.split("## Further claims")
    assert "Figure 4: loss" in first and r"Loss \| grows." in first and "Nothing else." in further, "Figure 40 is not 4"
    assert 'stand-in: <span class="verdict fails">does not hold</span><br>real rows: <span' in further
    assert "- *Nothing else.* (stand-in) Too few." in further and "../figures/demo/loss.png" in first
    assert "(../notebooks/demo.md)" in first and "Redraws Figure 4 of the paper." in first


def test_a_notebooks_page_shows_each_figure_once_where_the_notebook_does(demo: Site) -> None:
    page = demo.made()["notebooks/demo.md"]
    assert page.startswith("# Demo") and page.count("loss.png") == page.count(gallery.NOT_DRAWN) == 1
    order = ("drawings.loss, data", "loss.png", "yours to write", gallery.NOT_DRAWN, "Time against k.")
    assert [page.index(part) for part in order] == sorted(page.index(part) for part in order)
    assert "42" not in page and "HIDDEN" not in page and "return" not in page, "an exercise does not give itself away"


def test_broken_notebooks_and_unknown_marks_are_refused_in_words(demo: Site, tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError, match="unknown mark 'galery'; did you mean 'gallery'"):
        demo.filled("{{ galery }}")
    with pytest.raises(DataFileError, match=r"no file 'NOTHING\.md'"):
        demo.filled("{{ whole NOTHING.md }}")
    (tmp_path / "notebooks" / "bad.ipynb").write_text("{}")
    with pytest.raises(DataFileError, match=r"bad\.ipynb is no notebook that can be read"):
        gallery.cells_of(tmp_path / "notebooks" / "bad.ipynb")


def test_figures_and_single_claims_of_an_experiment_stand_on_other_pages(demo: Site, tmp_path: Path) -> None:
    shown = demo.filled("{{ figures demo }}")
    assert "figures/demo/loss.png" in shown and "time.png" not in shown, "only what has been drawn"
    assert shown.count(gallery.NOT_DRAWN) == 1 and "(gallery/demo.md)" in shown and "Not judged yet" in shown
    (tmp_path / "figures" / "SCORECARD.md").write_text(scorecard.markdown(scored(demo), figures=True))
    judged = Site(tmp_path)
    assert "Nothing else." in judged.filled("{{ claims demo }}")
    one = judged.filled("{{ claims demo grows }}")
    assert marked("holds") in one and "Nothing else." not in one and "Figure 4a" in one
    with pytest.raises(UnknownNameError, match="unknown experiment 'crossover'"):
        demo.filled("{{ figures crossover }}")
    with pytest.raises(UnknownNameError, match="unknown claim of demo: 'grow'; did you mean 'grows'"):
        demo.filled("{{ claims demo grow }}")


def test_which_publisher_when_rests_on_every_claim_of_the_crossover(site: Site) -> None:
    page = (ROOT / "docs" / "choosing.md").read_text(encoding="utf-8")
    named = [id for said in re.findall(r"^\{\{ claims crossover (.*) \}\}$", page, re.MULTILINE) for id in said.split()]
    claims = site.experiment("crossover").claims
    assert sorted(named) == sorted(claim.id for claim in claims), "each of them, once"
    filled = site.filled(page)
    card = site.cards["crossover"]
    for claim in claims:
        (row,) = [line for line in filled.splitlines() if line.startswith(f"| {claim.text} |")]
        for column, (measured, verdict) in card.claims[claim.text].outcomes.items():  # on a stand-in, and on real rows
            said = f"{column}: {measured}" if column else measured
            assert said in row and marked(verdict) in row, claim.id
    written = re.sub(r"^\{\{.*", "", page, flags=re.MULTILINE)
    assert not re.findall(r"\d+(?:\.\d+)? ?%|\d{2,}", written), "numbers come from the scorecard"
    from ppdp_lab.republish import PUBLISHERS

    top = page.partition("## ")[0]
    for name in PUBLISHERS:
        assert f"[ppdp_lab.republish.{name}]" in top, f"when is {name} the right choice?"


def test_a_column_that_is_empty_for_all_claims_is_left_out(site: Site) -> None:
    assert "| claim | expected | measured | verdict |" in site.filled("{{ claims crossover }}")
    assert "| claim | source | expected | measured | verdict |" in site.filled("{{ claims bpg }}")


def test_every_figure_of_the_gallery_is_shown(site: Site) -> None:
    drawn = {path for path in site.pictures() if path.endswith(".png")}
    pages = site.made()
    index = site.filled("{{ gallery }}")
    assert len(drawn) > 50
    for path in drawn:
        experiment = Path(path).parent.name
        assert f"(../{path})" in index and f"(../{path})" in pages[f"gallery/{experiment}.md"], path


def test_the_verdicts_beside_a_figure_are_those_of_the_scorecard(site: Site) -> None:
    index = site.filled("{{ gallery }}")
    said = 0
    for experiment in site.experiments:
        card = site.cards[experiment.name]
        for figure in (figure for figure in experiment.figures if figure.source):
            about = [c.text for c in experiment.claims if re.search(rf"{re.escape(figure.source)}(?!\d)", c.source)]
            held = [next(iter(card.claims[text].outcomes.values()))[1] == "holds" for text in about]
            (cell,) = [c for c in index.split("\n-   ") if f"({experiment.name}.md#{figure.name})" in c]
            shown = re.findall(r'"verdict holds">(\d+) holds?<', re.split("real rows: |</div>", cell)[0])
            assert sum(map(int, shown)) == sum(held), (experiment.name, figure.name)
            said += bool(about)
    assert said > 20


def test_notebooks_are_listed_by_kind_and_members_before_other_names(site: Site) -> None:
    listed = site.filled("{{ notebooks }}")
    order = (
        "## Experiments",
        "(tour.md)",
        "## Exercises",
        "(exercises/plane.md)",
        "## Explorers",
        "(explore/series.md)",
    )
    assert [listed.index(part) for part in order] == sorted(listed.index(part) for part in order)
    page = site.made()["reference/republish.md"]
    assert page.index("republish.MInvariance\n") < page.index("republish.ageing\n"), "publishers come first"
    index = site.filled("{{ rooms }}")
    assert index.index("[ppdp_lab.attacks.value_association]") < index.index("[ppdp_lab.attacks.ATTACKS]")


def test_every_notebook_has_a_page_and_shows_all_figures_of_its_experiment(site: Site) -> None:
    pages = site.made()
    for path in gallery.found_in(ROOT / "notebooks"):
        assert sources.page_of(path.relative_to(ROOT).as_posix()) in pages
    for experiment in site.experiments:
        page = pages[sources.page_of(experiment.notebook.relative_to(ROOT).as_posix())]
        for figure in experiment.figures:
            shown = page.count(f"{experiment.name}/{figure.name}.png")
            assert shown == gallery.drawn(experiment, figure), (experiment.name, figure.name)
            assert gallery.caption(figure, site.cards.get(experiment.name)) in page


def test_every_public_name_of_every_room_has_its_place(site: Site) -> None:
    import ppdp_lab as pl

    rooms = {room.name: room for room in site.rooms}
    for room in pl._ROOMS:
        assert set(rooms[room].names) == set(getattr(pl, room).__all__)
    for name in set(pl.__all__) - set(pl._ROOMS):
        home = pl._HOME[name].removeprefix("ppdp_lab.")
        assert name in rooms[home].names, name
    assert "PPDPError" in rooms["errors"].names and "figure" in rooms["plotting"].names and "cli" not in rooms
    assert "::: ppdp_lab.metrics.ncp\n" in reference.page(rooms["metrics"])


def test_all_marks_are_used_and_filled(site: Site) -> None:
    pages = {path: path.read_text(encoding="utf-8") for path in (ROOT / "docs").rglob("*.md")}
    used = set(re.findall(r"^\{\{ (\w+)", "\n".join(pages.values()), re.MULTILINE))
    assert used == set(MARKS)
    for path, text in pages.items():
        assert "{{" not in site.filled(text), path


def test_parameters_that_are_explained_together_are_listed_one_by_one() -> None:
    before, after = "Both.\n\nParameters\n----------\n", "c\n    Other.\n\nReturns\n-------\nd, e\n    Stay."
    words = " : int\n    As said.\n\n    At length.\n"
    assert to_markdown(f"{before}a, b{words}{after}") == f"{before}a{words}b{words}{after}"
    assert to_markdown(f"{before}a, b\n    Last.") == f"{before}a\n    Last.\nb\n    Last."
    assert to_markdown(f"{before}c\na, b{words}{after}") == f"{before}c\na{words}b{words}{after}", "not only the first"


def test_choices_are_no_defaults() -> None:
    before, after = "Both.\n\nParameters\n----------\n", "\n    One of them.\n\nReturns\n-------\ndict\n    {1, 2}"
    assert to_markdown(f'{before}cut : {{"a", "b or c"}}{after}') == f'{before}cut : "a" | "b or c"{after}'


def test_a_name_after_a_tilde_is_shown_by_its_last_part() -> None:
    assert to_markdown("See :meth:`~a.B.c` and :meth:`a.B.c`.") == "See `c` and `a.B.c`."


def test_checkpoints_of_jupyterlab_are_no_notebooks(demo: Site, tmp_path: Path) -> None:
    for folder in (".ipynb_checkpoints", "exercises/.ipynb_checkpoints"):
        (tmp_path / "notebooks" / folder).mkdir(parents=True, exist_ok=True)
        shutil.copy(tmp_path / "notebooks" / "demo.ipynb", tmp_path / "notebooks" / folder / "demo-checkpoint.ipynb")
    again = Site(tmp_path)
    assert again.notebooks == demo.notebooks and len(again.notebooks) == 1
    assert "checkpoint" not in again.filled("{{ notebooks }}")


def test_docstrings_become_markdown() -> None:
    table = "==  ===\nx   one\n    two\ny   |\n==  ==="
    text = f"See :meth:`~a.B.c`::\n\n    code\n\n{table}\n\n>>> f(1)  # doctest: +SKIP\n2\n\nAfter."
    done = to_markdown(text, lambda name, words: f"<{name}>")
    assert to_markdown(":meth:`to it <a.b>`", lambda name, words: f"[{words}]({name})") == "[to it](a.b)"
    assert done.startswith("See <a.B.c>:\n\n    code\n") and "| x | one two |" in done and r"| y | \| |" in done
    assert "```pycon\n>>> f(1)\n2\n```\n\nAfter." in done
    assert to_markdown("Examples\n--------\n>>> f(1)\n2") == "Examples\n--------\n>>> f(1)\n2", "known to be code"
    assert to_markdown(".. code-block:: toml\n\n    a = 1") == "\n    a = 1"
    assert missing_sources("[2]_ and [1]_.\n\n.. [1] Own.", ".. [2] Its\n   module's.") == ".. [2] Its\n   module's."
