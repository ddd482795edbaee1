"""Every explorer in a browser: a slider is moved by keys, and text and picture follow."""

from __future__ import annotations

import pytest

from ppdp_lab.explore import EXPLORERS

PICTURE = ".ppdp-explorer img, .ppdp-explorer svg[role=img]"
SLIDERS = {"partition": "k (people)"}


def opened(page, voila: str, name: str) -> None:
    """The page of an explorer, reached from the start page, with its picture."""
    page.goto(voila)
    page.get_by_role("link", name=name.replace("_", " ").capitalize(), exact=True).click()
    page.wait_for_selector(PICTURE)


def seen(page) -> tuple[str, str]:
    """What the page says and what it draws."""
    return page.locator(".ppdp-explorer [aria-live]").inner_text(), page.locator(PICTURE).first.evaluate("e => e.outerHTML")


def slide(page, label: str, key: str = "ArrowRight", times: int = 3) -> None:
    """Move the slider with that label by keys."""
    handle = page.locator(".widget-hslider", has_text=label).locator(".noUi-handle").first
    handle.focus()
    for _ in range(times):
        handle.press(key)


def changed(page, before: tuple[str, str]) -> tuple[str, str]:
    """What is seen once both text and picture are others than before."""
    page.wait_for_function(
        """([text, drawn, picture]) => {
            const says = document.querySelector('.ppdp-explorer [aria-live]'), image = document.querySelector(picture);
            return says && image && says.innerText !== text && image.outerHTML !== drawn;
        }""",
        arg=[*before, PICTURE],
    )
    return seen(page)


def test_every_explorer_has_a_slider_to_move():
    assert set(SLIDERS) == {entry.name for entry in EXPLORERS.entries()}


@pytest.mark.parametrize("name", SLIDERS)
def test_a_slider_moves_text_and_picture(page, voila, screenshot, name):
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    opened(page, voila, name)
    before = seen(page)
    code = page.evaluate("document.querySelector('.ppdp-explorer textarea')?.value")
    screenshot(page, f"explore-{name}-1")
    slide(page, SLIDERS[name])
    after = changed(page, before)
    screenshot(page, f"explore-{name}-2")
    assert before != after and not page.locator("[role=alert]").count() and not errors
    assert code != page.evaluate("document.querySelector('.ppdp-explorer textarea')?.value")


def test_the_token_is_asked_for(page, voila):
    page.goto(voila.partition("?")[0] + "voila/render/partition.ipynb")
    assert not page.locator(PICTURE).count() and "login" in page.url
