"""What the tests do with an explorer on a page: look at it, and move a slider by keys."""

from __future__ import annotations

CODE = "document.querySelector('.ppdp-code textarea')?.value"
PICTURE = ".ppdp-explorer img, .ppdp-explorer svg[role=img]"
SLIDERS = {
    "partition": "k (people)",
    "lattice": "step (checks)",
    "series": "releases seen",
    "bucket_graph": "e (1: not asked)",
    "tradeoff": "point",
    "own_table": "k (people)",
}


def seen(page) -> tuple[str, str]:
    """What the page says and what it draws."""
    return page.locator(".ppdp-explorer [aria-live]").inner_text(), page.locator(PICTURE).first.evaluate(
        "e => e.outerHTML"
    )


def slide(page, name: str, key: str = "ArrowRight") -> None:
    """Move an explorer's slider by a key, one stop: one question, so that what changes next is its answer."""
    handle = page.locator(".widget-hslider", has_text=SLIDERS[name]).locator(".noUi-handle").first
    handle.focus()
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
