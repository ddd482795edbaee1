"""Every explorer in a browser: a slider is moved by keys, and text and picture follow."""

from __future__ import annotations

import pytest
from watching import CODE, PICTURE, SLIDERS, changed, seen, slide

from ppdp_lab.explore import EXPLORERS


def opened(page, voila: str, name: str) -> None:
    """The page of an explorer, reached from the start page, with its picture."""
    page.goto(voila)
    page.get_by_role("link", name=name.replace("_", " ").capitalize(), exact=True).click()
    page.wait_for_selector(PICTURE)


def test_every_explorer_has_a_slider_to_move():
    assert set(SLIDERS) == {entry.name for entry in EXPLORERS.entries()}


@pytest.mark.parametrize("name", SLIDERS)
def test_a_slider_moves_text_and_picture(page, voila, screenshot, name):
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    opened(page, voila, name)
    before = seen(page)
    code = page.evaluate(CODE)
    screenshot(page, f"explore-{name}-1")
    slide(page, name)
    after = changed(page, before)
    screenshot(page, f"explore-{name}-2")
    assert before != after and not page.locator("[role=alert]").count() and not errors
    assert code != page.evaluate(CODE)


def test_the_token_is_asked_for(page, voila):
    page.goto(voila.partition("?")[0] + "voila/render/partition.ipynb")
    assert not page.locator(PICTURE).count() and "login" in page.url
