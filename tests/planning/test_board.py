"""`Comparison.board()`: sliders in a cell, next to the comparison's results at their values."""

import json
import time
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from playwright.sync_api import Browser, Page, expect

from barriers import barriers
from builders import diagram, feature, square
from comparisons import comparison
from machine import slowed_down
from notebooks import SETUP, Notebook, jupyterlab
from pygeodesign import InputError, Sandbox
from pygeodesign._text import money, short_amount
from pygeodesign._widget.board import system_keys
from pygeodesign.planning import Comparison
from widget_host import cell

UNKNOWN: dict[str, Any] = {"area": 0, "length": 0, "flat_geobuf_url": "https://example.org/a.fgb"}


@pytest.fixture(scope="module")
def demo() -> Comparison:
    with Sandbox() as sandbox:
        return sandbox.project().compare()


def column(answer: dict[str, Any], table: int, name: str) -> list[str]:
    """The texts of a column of a table."""
    place = answer["tables"][table]["columns"].index(name)
    return [row["cells"][place]["text"] for row in answer["tables"][table]["rows"]]


def test_the_state_is_plain_and_comes_back_and_takes_the_rest_from_the_project(demo: Comparison) -> None:
    board = demo.board()
    first = board.state
    assert first["rates"]["Water"] == 1.2e6 and first["targets"]["Energy"] == 440
    board.state = {"rates": {"Water": 1.5e6}, "targets": {"Energy": None}}
    assert repr(board) == "<Board of Staten Island 2050: 2 values changed>"
    kept = json.loads(json.dumps(board.state))
    assert kept == {
        **first,
        "rates": {**first["rates"], "Water": 1.5e6},
        "targets": {**first["targets"], "Energy": None},
    }
    board.state = {}
    assert board.state == first
    board.state = kept
    assert board.state == kept and board.comparison.systems["rate"][1] == 1.5e6


@pytest.mark.parametrize(
    ("names", "keys"),
    [(["Water", "Parks"], ["Water", "Parks"]), (["A", "A", "B"], ["1", "2", "B"]), (["A", "A", "2"], ["1", "2", "3"])],
)
def test_systems_go_by_their_names_and_by_their_ids_where_names_are_shared(names: list[str], keys: list[str]) -> None:
    assert system_keys(pd.DataFrame({"name": names}, index=range(1, len(names) + 1))) == keys


@pytest.mark.parametrize(
    ("state", "problem"),
    [
        ([], "state is .*give a dict with rates, budgets, targets"),
        ({"rate": {}}, "state has 'rate': its keys are rates, budgets, targets"),
        ({"rates": 3}, r"state\['rates'\] is 3"),
        ({"rates": {"Air": 3}}, r"state\['rates'\] has 'Air': the systems are Water"),
        ({"budgets": {"Water": -1}}, r"state\['budgets'\]\['Water'\] is -1: give a number, 0 or more"),
        ({"targets": {"Water": "10"}}, r"state\['targets'\]\['Water'\] is '10'"),
    ],
)
def test_a_bad_state_is_an_error_that_names_the_key_and_changes_nothing(
    state: Any, problem: str, demo: Comparison
) -> None:
    board = demo.board()
    before = board.state
    with pytest.raises(InputError, match=problem):
        board.state = state
    assert board.state == before


def test_its_figures_are_those_that_the_same_questions_answer(demo: Comparison) -> None:
    board = demo.board(currency="USD")
    widget = board.widget
    asked = demo.what_if(rates={"Water": 1.5e6}, budgets={"Transport": 1e9}, targets={"Energy": 900})
    board.state = {"rates": {"Water": 1.5e6}, "budgets": {"Transport": 1e9}, "targets": {"Energy": 900}}
    targets, best = asked.targets(), asked.optimum()
    for label in asked.designs:
        rows = targets[targets["design"] == label]
        *costs, total = column(widget.answer, 0, asked._short_labels[label])
        assert [text.split(" ", 1)[1] for text in costs] == [short_amount(cost) for cost in rows["cost"]]
        assert total == short_amount(rows["cost"].sum())
        for table, status in ((0, "budget_status"), (1, "area_status")):
            place = widget.answer["tables"][table]["columns"].index(asked._short_labels[label])
            cells = [row["cells"][place]["status"] for row in widget.answer["tables"][table]["rows"]]
            cells = cells[: len(rows)]
            assert cells == rows[status].tolist()
    best_costs = [*best.systems["cost"].tolist(), best.cost]
    assert column(widget.answer, 0, "Best choice") == [short_amount(cost) for cost in best_costs]
    assert f"{len(best.chosen)} diagrams for {money(best.cost, 'USD')}" in widget.answer["best"]
    saved = board._repr_mimebundle_()[0]["text/html"]
    assert "<b>Budgets: met, and cost (USD)</b>" in saved and "The tables of a board. To use it: pip install" in saved


def test_what_is_not_known_is_said_and_there_may_be_no_design_budget_or_target() -> None:
    rows = [diagram(1, feature(square(1, 0, 0.01)), type="project"), diagram(2, type="project", **UNKNOWN)]
    settings: dict[str, Any] = {"cost": 10, "budget": 1e6, "target_ha": 1e6}
    one = comparison(
        [*rows, diagram(3, feature(square(2, 0, 0.01)), type="project", sysid=2)], {"A": [1, 2]}, Water=settings
    )
    answer = one.board().widget.answer
    assert column(answer, 0, "A")[0].startswith("? ") and column(answer, 0, "A")[0].endswith(" + 1 not known")
    assert column(answer, 1, "A")[0].startswith("? ") and "1 diagram of unknown cost or area left out" in answer["best"]
    unknown = comparison([rows[1]], {"A": [2]}, Water=settings).board().widget.answer
    assert column(unknown, 0, "A") == ["? not known", "0", "not known"]
    none = comparison(rows, []).board().widget.answer
    assert none["best"].startswith("Best choice: none, since no system has a ")
    assert [table["rows"] for table in none["tables"]] == [[], []]


def test_the_kernel_answers_within_a_fifth_of_a_second(demo: Comparison) -> None:
    widget = demo.board().widget
    seconds = []
    for step in range(5):
        state = json.loads(json.dumps(widget.state))
        state["rates"]["Water"] = 1.3e6 + step
        begun = time.perf_counter()
        widget.set_state({"state": state})
        seconds.append(time.perf_counter() - begun)
        assert widget.state["rates"]["Water"] == 1.3e6 + step
    # Other work of the machine only ever makes it slower.
    assert min(seconds) < 0.2 * slowed_down()


def cost_of_water(compared: Comparison, rate: float) -> str:
    """The first design's cost at this rate, as the board shows it."""
    row = compared.what_if(rates={"Water": rate}).targets().iloc[0]
    return f"{'✓' if row['budget_met'] else '✗'} {short_amount(row['cost'])}"


def slider(page: Page, name: str) -> Any:
    return page.get_by_role("slider", name=name)


def test_sliders_boxes_and_keys_move_the_figures_and_python_moves_the_sliders(
    demo: Comparison, browser: Browser
) -> None:
    board = demo.board(currency="USD", theme="dark")
    with cell(browser, board) as shown:
        page = shown.page
        first = shown.frame.get_by_role("row", name="Water").first
        expect(first).to_contain_text(cost_of_water(demo, 1_200_000))
        box = page.get_by_role("spinbutton", name="Rate of Water, USD per ha, as a number")
        box.fill("900000")
        expect(first).to_contain_text(cost_of_water(demo, 900_000))
        assert board.state["rates"]["Water"] == 900_000
        assert float(slider(page, "Rate of Water, USD per ha").input_value()) == 900_000
        slider(page, "Rate of Water, USD per ha").focus()
        page.keyboard.press("End")
        expect(box).to_have_value("2400000")
        expect(first).to_contain_text(cost_of_water(demo, 2_400_000))
        box.fill("")
        expect(first).to_contain_text("not known")
        assert board.state["rates"]["Water"] is None
        page.get_by_role("button", name="As in the project").click()
        expect(first).to_contain_text(cost_of_water(demo, 1_200_000))
        board.state = {"rates": {"Water": 5e6}}
        expect(box).to_have_value("5000000")
        assert float(slider(page, "Rate of Water, USD per ha").input_value()) == 5e6
        assert "Best choice under all budgets" in page.get_by_role("status").inner_text()
        assert "dark" in str(shown.frame.get_attribute("class"))
        page.get_by_text("Targets, ha").click()
        page.get_by_text("Budgets, USD").click()
        assert barriers(page, shown.frame) == [] and shown.errors == []
        assert page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")


def test_acres_are_shown_and_hectares_kept(demo: Comparison, browser: Browser) -> None:
    board = demo.board(units="us", currency="USD")
    with cell(browser, board, width=500) as shown:
        rate = shown.page.get_by_role("spinbutton", name="Rate of Water, USD per acre, as a number")
        expect(rate).to_have_value("485622.771")
        shown.page.get_by_text("Targets, acres").click()
        shown.page.get_by_role("spinbutton", name="Target of Energy, acres, as a number").fill("2471.0538147")
        expect(shown.frame.get_by_role("row", name="Energy").last).to_contain_text("✗")
        assert board.state["targets"]["Energy"] == pytest.approx(1000)
        assert barriers(shown.page, shown.frame) == []


# Moves a slider, and returns the milliseconds until a row's text changes.
MOVE = """(frame, value) => new Promise((resolve) => {
  const range = frame.querySelector("details input[type=range]");
  const answers = frame.querySelector(".tables");
  const row = () => answers.querySelector("tbody tr").textContent;
  const before = row();
  const begun = performance.now();
  new MutationObserver((_, observer) => {
    if (row() === before) return;
    observer.disconnect();
    resolve(performance.now() - begun);
  }).observe(answers, { childList: true, subtree: true });
  range.value = String(value);
  range.dispatchEvent(new Event("input", { bubbles: true }));
})"""


@pytest.mark.slow
def test_in_jupyterlab_the_figures_follow_a_slider_within_a_fifth_of_a_second(
    demo: Comparison, browser: Browser, tmp_path: Path
) -> None:
    cells = [
        f"{SETUP}\nboard = project.compare().board(currency='USD')\nboard",
        "print(board.state['rates']['Water'], board.comparison.targets()['cost'][0])",
        "board.state = {}",
    ]
    with jupyterlab(tmp_path) as url:
        notebook = Notebook(browser, url, tmp_path / "board.ipynb", cells)
        notebook.run(0)
        frame = notebook.page.locator(".frame.board")
        milliseconds = []
        for step in range(8):
            notebook.page.wait_for_timeout(300)
            milliseconds.append(frame.evaluate(MOVE, 900_000 + 20_000 * step))
        assert notebook.run(1).strip() == f"1040000.0 {demo.what_if(rates={'Water': 1.04e6}).targets()['cost'][0]}"
        # A drag has more values than the kernel answers; the last one counts, and the slider never jumps back.
        range_of_water = slider(notebook.page, "Rate of Water, USD per ha").first
        range_of_water.scroll_into_view_if_needed()
        box = range_of_water.bounding_box()
        assert box is not None
        notebook.page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        notebook.page.mouse.down()
        seen = []
        for step in range(40):
            notebook.page.mouse.move(box["x"] + box["width"] * (0.5 + 0.01 * step), box["y"] + box["height"] / 2)
            seen.append(float(range_of_water.input_value()))
        notebook.page.mouse.up()
        assert seen == sorted(seen)
        # A widget holds the last value back until the kernel has answered the one before.
        last = cost_of_water(demo, float(range_of_water.input_value()))
        expect(frame.get_by_role("row", name="Water").first).to_contain_text(last)
        assert float(notebook.run(1).split()[0]) == float(range_of_water.input_value()) > 2e6
        notebook.run(2)
        water = notebook.page.get_by_role("spinbutton", name="Rate of Water, USD per ha, as a number")
        expect(water).to_have_value("1200000")
        assert notebook.errors == []
        notebook.page.keyboard.press("Control+S")
        notebook.page.wait_for_timeout(1500)
        (output,) = json.loads(notebook.path.read_text())["cells"][0]["outputs"]
        assert "Best choice" in "".join(output["data"]["text/html"]) and len(json.dumps(output)) < 40_000
        notebook.page.close()
    # Other work of the machine only ever makes it slower.
    assert min(milliseconds) < 200 * slowed_down(), milliseconds
    print("milliseconds:", sorted(round(one) for one in milliseconds))
