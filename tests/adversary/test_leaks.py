"""What leaves the house carries no value that it does not show: frames, CSV, parquet, pickles.

Hierarchies are taken to be public; everything else in a published object must be visible in the published tables.
"""

from __future__ import annotations

import io
import pickle
import struct

import numpy as np
import pandas as pd
import pytest
from adversary.cases import attempt
from adversary.reading import frames_of

import ppdp_lab as pl

MAKERS = {
    "Mondrian": lambda table: pl.Mondrian(pl.KAnonymity(3)).anonymize(table),
    "relaxed Mondrian": lambda table: pl.Mondrian(pl.KAnonymity(3), strict=False).anonymize(table),
    "KMember": lambda table: pl.KMember(3).anonymize(table),
    "Anatomy": lambda table: pl.Anatomy(2).anonymize(table),
    "MInvariance": lambda table: pl.MInvariance(2).publish(table),
    "EEquivalence": lambda table: pl.EEquivalence(2, e=2).publish(table),
    "I3M": lambda table: pl.I3M(3).publish(table),
}


def people(chance: np.random.Generator, kind: str) -> tuple[pl.Microdata, list[str], list[int]]:
    """A part of a table whose other rows and unused categories hold unmistakable values: the table, texts, numbers."""
    n = 24
    texts = [f"town{number}x" for number in chance.choice(10**6, 12, replace=False)]
    wages = [int(w) for w in 7_000_000_000 + chance.choice(10**9, 16, replace=False)]
    ills = [f"ill{number}x" for number in chance.choice(10**6, 6, replace=False)]
    frame = pd.DataFrame(
        {
            "town": chance.choice(texts, 2 * n),
            "wage": chance.choice(wages, 2 * n),
            "ill": [ills[i % 4] for i in range(n)] + [ills[i % 6] for i in range(n)],
        }
    )
    if kind != "plain":
        dtype = pd.CategoricalDtype(ills, ordered=kind == "ordered categories")
        frame["ill"] = frame["ill"].astype(dtype)
        frame["town"] = frame["town"].astype(pd.CategoricalDtype(texts, ordered=kind == "ordered categories"))
    ids = [f"id-{number}x" for number in chance.choice(10**6, 2 * n, replace=False)]
    table = pl.Microdata(frame, pl.Schema(["town", "wage"], "ill"), ids=ids).select(np.arange(n))
    return table, texts + ills, wages


def shown(frames: list[pd.DataFrame]) -> str:
    """All cells that a reader sees."""
    return "\n".join(str(cell) for frame in frames for name in frame for cell in frame[name].tolist())


@pytest.mark.parametrize("kind", ["plain", "categories", "ordered categories"])
@pytest.mark.parametrize("name", MAKERS)
def test_files_hold_what_they_show(name, kind):
    def one(chance):
        table, texts, _ = people(chance, kind)
        frames = frames_of(MAKERS[name](table))
        hidden = [text.encode() for text in texts if text not in shown(frames)]
        assert hidden, "every value is shown: nothing can leak"
        for frame in frames:
            for column in frame:
                if isinstance(frame[column].dtype, pd.CategoricalDtype):
                    extra = set(frame[column].cat.categories) - set(frame[column])
                    assert not extra, f"{column} has categories that it does not show"
            parquet = io.BytesIO()
            frame.to_parquet(parquet, compression="none")
            for what, content in (
                ("CSV", frame.to_csv().encode()),
                ("parquet", parquet.getvalue()),
                ("pickle of the frame", pickle.dumps(frame)),
            ):
                leaked = [text for text in hidden if text in content]
                assert not leaked, f"the {what} holds {len(leaked)} of {len(hidden)} hidden values"

    attempt(f"files of {name}, {kind}", one, share=0.04)


@pytest.mark.parametrize("kind", ["plain", "categories", "ordered categories"])
@pytest.mark.parametrize("name", MAKERS)
def test_a_pickled_published_holds_what_it_shows(name, kind):
    def one(chance):
        table, texts, wages = people(chance, kind)
        release = MAKERS[name](table)
        visible = shown(frames_of(release))
        content = pickle.dumps(release.published())
        leaked = [text for text in texts if text not in visible and text.encode() in content]
        assert not leaked, f"{len(leaked)} hidden texts"
        for form in ("<q", "<d", ">q", ">d"):  # as numpy or pickle may write a number
            leaked = [w for w in wages if str(w) not in visible and struct.pack(form, w) in content]
            assert not leaked, f"{len(leaked)} hidden numbers"
        assert not [w for w in wages if str(w) not in visible and str(w).encode() in content]
        assert not any(who.encode() in content for who in table.ids.tolist()), "ids"

    attempt(f"pickles of {name}, {kind}", one, share=0.04)


@pytest.mark.parametrize("name", MAKERS)
def test_a_pickled_published_still_reads(name):
    """What was pruned must not be missed: the tables come back from a pickle as they were."""

    def one(chance):
        table, _, _ = people(chance, str(chance.choice(["plain", "categories", "ordered categories"])))
        release = MAKERS[name](table)
        again = pickle.loads(pickle.dumps(release.published()))
        for a, b in zip(frames_of(release), again.frames().values(), strict=True):
            pd.testing.assert_frame_equal(a, b)

    attempt(f"pickles of {name} read", one, share=0.04)
