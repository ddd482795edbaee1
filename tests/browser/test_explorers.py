"""Every explorer in a browser: a slider is moved by keys, and text and picture follow."""

from __future__ import annotations

import pytest
from watching import CODE, PICTURE, SLIDERS, changed, seen, slide

from ppdp_lab.explore import EXPLORERS
from ppdp_lab.explore.partitions import Partition


def opened(page, voila: str, name: str) -> None:
    """The page of an explorer, reached from the start page, with its picture."""
    page.goto(voila)
    page.locator(f"a[href$='/{name}.ipynb']").click()
    page.wait_for_selector(PICTURE)


def test_every_explorer_has_a_slider_to_move():
    assert set(SLIDERS) == {entry.name for entry in EXPLORERS.entries()}


@pytest.mark.parametrize("name", SLIDERS)
def test_a_slider_moves_text_and_picture(page, voila, screenshot, name, tmp_path):
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    asked, refused = [], []
    page.on("request", lambda request: asked.append(request.url))
    page.on("requestfailed", lambda request: refused.append(request.url) if request.failure == "csp" else None)
    opened(page, voila, name)
    elsewhere = [url for url in asked if not url.startswith((voila.partition("?")[0], "data:", "blob:"))]
    assert set(elsewhere) <= set(refused)  # what Voila's page would load from elsewhere never leaves the browser
    before, code = seen(page), page.evaluate(CODE)
    screenshot(page, f"explore-{name}-1")
    slide(page, name)
    after = changed(page, before)
    screenshot(page, f"explore-{name}-2")
    assert before != after and not page.locator("[role=alert]").count() and not errors
    assert code != page.evaluate(CODE)
    if name in FURTHER:  # on the page that is open: each page costs a Python of its own
        FURTHER[name](page, voila, screenshot, tmp_path)
    assert not errors


def test_the_token_is_asked_for(page, voila):
    page.goto(voila.partition("?")[0] + "voila/render/partition.ipynb")
    assert not page.locator(PICTURE).count() and "login" in page.url


# ---------------------------------------------------------------------- what one of them has that others have not
FOCUSED = """() => {
    const at = document.activeElement, box = at.closest('.widget-inline-hbox, .jupyter-widgets');
    const labels = [...(box?.querySelectorAll('.widget-label, label') ?? [])];
    const words = labels.map(label => label.innerText.replaceAll('\u200b', '').trim()).find(Boolean);
    return [words || at.innerText, getComputedStyle(at).outlineStyle];
}"""


def another_tab(page, voila, screenshot, tmp_path):
    """Keys reach every knob and the code, and one sees where they are; two tabs do not disturb each other."""
    page.evaluate("document.activeElement.blur()")
    reached = {}
    for _ in range(30):
        page.keyboard.press("Tab")
        words, outline = page.evaluate(FOCUSED)
        reached.setdefault(words.strip(), outline)
    knobs = {knob.label for knob in Partition().knobs()}
    assert knobs | {"the Python behind it"} <= set(reached), sorted(reached)
    assert not [knob for knob in knobs if reached[knob] == "none"]
    other = page.context.new_page()
    opened(other, voila, "partition")
    before, beside = seen(page), seen(other)
    slide(page, "partition")
    changed(page, before)
    assert seen(other) == beside
    other.close()


DROP = """([name, text]) => { const data = new DataTransfer(); data.items.add(new File([text], name));
    document.querySelector('.ppdp-zone').dispatchEvent(new DragEvent('drop', {dataTransfer: data, bubbles: true})); }"""


def dropped(page, voila, screenshot, tmp_path):
    """A file is dropped, its roles are chosen, and the release is saved; after a broken file nothing is shown or saved."""
    before = seen(page)
    rows = "\n".join(f"P{i};{20 + i % 9};{60 + i % 7};{'flu' if i % 2 else 'cold'}" for i in range(90))
    page.evaluate(DROP, ["patients.csv", f"name;age;weight;illness\n{rows}\n"])
    page.get_by_text("read patients.csv as CSV: 90 rows").wait_for()
    assert "of 90 people" in changed(page, before)[0]
    columns = page.locator(".widget-select-multiple", has_text="may be known").locator("select")
    assert columns.evaluate("e => [...e.options].map(o => o.text)") == ["name", "age", "weight", "illness"]
    now = seen(page)
    columns.select_option(["age"])
    changed(page, now)
    screenshot(page, "explore-own_table-dropped")
    page.wait_for_function("code => eval(code).includes(\"Schema(['age'], ['illness'])\")", arg=CODE)
    with page.expect_download() as saved:
        page.get_by_role("link", name="published.csv").click()
    saved.value.save_as(tmp_path / "published.csv")
    published = (tmp_path / "published.csv").read_text()
    assert len(published.splitlines()) == 91 and published.startswith("age,illness") and "P1" not in published
    page.evaluate(DROP, ["broken.csv", "age,age\n1,2\n"])
    page.get_by_role("alert").get_by_text("file 'broken.csv' has more than one column named 'age'").wait_for()
    screenshot(page, "explore-own_table-broken")
    assert not page.locator(PICTURE).count() and not page.get_by_role("link", name="published.csv").count()
    assert not page.get_by_text("patients.csv").count() and not page.get_by_text("of 90 people").count()
    assert page.evaluate(CODE) == "" and columns.evaluate("e => e.options.length") == 0
    page.evaluate(DROP, ["again.csv", f"name;age;weight;illness\n{rows}\n"])
    page.get_by_role("link", name="published.csv").wait_for()
    assert columns.evaluate("e => [...e.selectedOptions].map(o => o.text)") == ["age", "weight"]


def copied_named_narrow(page, voila, screenshot, tmp_path):
    """Code is copied, points have their names on hovering, and the page fits a narrow window."""
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    assert page.locator("svg[role=img] title").first.text_content().startswith("k-anonymity, k = 2: ")
    page.get_by_role("button", name="the Python behind it").focus()
    page.keyboard.press("Enter")
    page.get_by_role("button", name="copy as code").click()
    page.wait_for_function(
        "navigator.clipboard.readText().then(text => text.includes('explore.tradeoffs.draw_tradeoff'))"
    )
    assert page.evaluate("navigator.clipboard.readText()") == page.evaluate(CODE)
    page.set_viewport_size({"width": 420, "height": 1500})
    below = page.locator(".ppdp-knobs").bounding_box()
    box = page.locator(PICTURE).first.bounding_box()
    assert box["width"] >= 500  # readable: it is moved within its place, and the page is not
    assert page.evaluate("document.scrollingElement.scrollWidth") <= 420
    assert (
        0 <= box["y"] - below["y"] - below["height"] < 60 < page.locator(".ppdp-facts").bounding_box()["y"] - box["y"]
    )
    screenshot(page, "explore-tradeoff-narrow")


FURTHER = {"partition": another_tab, "own_table": dropped, "tradeoff": copied_named_narrow}
