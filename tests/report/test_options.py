"""One setting for a notebook: theme, units and currency of everything shown, and any script in pictures."""

import io
import warnings
from collections.abc import Iterator
from typing import Any

import matplotlib as mpl
import pytest
from matplotlib import pyplot
from matplotlib.colors import to_hex

from builders import diagram, feature, square
from comparisons import comparison
from demo import demo_sandbox
from pygeodesign import InputError, options
from pygeodesign._html import colors_of
from pygeodesign._pictures import fonts
from pygeodesign.plots import plot_costs

TITLE = "水と緑の計画"


@pytest.fixture(autouse=True)
def _as_at_the_start() -> Iterator[None]:
    with mpl.rc_context({"backend": "agg"}):
        yield
    options.reset()
    pyplot.close("all")


@pytest.fixture(scope="module")
def project() -> Iterator[Any]:
    with demo_sandbox() as sandbox:
        yield sandbox.client().project("StatenIsland2050")


def small(title: str = "Rain garden") -> Any:
    diagrams = [diagram(1, feature(square(0, 0, 0.02)), sysid=1, type="project", description=title)]
    return comparison(diagrams, {title: [1], "Other": [1]}, Water={"cost": 10, "budget": 10, "target_ha": 10})


@pytest.mark.slow
def test_the_currency_and_the_units_are_set_once_for_pages_charts_and_cards(project: Any) -> None:
    compared, report = project.compare(), project.costs()
    options.currency, options.units = "USD", "us"
    shown = {
        "report": compared.to_html(),
        "card": compared._repr_html_(),
        "costs": report.to_html(),
        "chart": plot_costs(report).get_title("left"),
        "targets": compared.plot_targets("cost").get_title("left"),
        "schedule": compared.plot_schedule("project").get_title("left"),
        "map": project.map().to_html(),
        "gallery": project.gallery(limit=1).to_html(),
    }
    assert {name for name, text in shown.items() if "No currency" in text} == set()
    assert all("USD" in text for text in shown.values())
    assert "acres" in shown["report"] and "acres" in shown["card"] and "area (acres)" in shown["costs"]
    assert "acres" in report._repr_html_()


def test_an_argument_counts_before_the_options(project: Any) -> None:
    report = project.costs()
    options.currency, options.units, options.theme = "USD", "us", "dark"
    assert "area (ha)" in report.to_html(units="metric") and "EUR" in report.to_html(currency="EUR")
    assert 'class="light"' in project.map(theme="light").to_html()


def test_the_theme_is_set_once_for_charts_and_maps(project: Any) -> None:
    options.theme = "dark"
    figure: Any = plot_costs(project.costs()).get_figure()
    assert to_hex(figure.get_facecolor()) == colors_of("dark")["paper"]
    assert 'class="dark"' in project.map().to_html() and 'class="dark"' in project.gallery(limit=1).to_html()


def test_data_are_never_converted(project: Any) -> None:
    before = project.costs().to_pandas()["area_ha"].tolist()
    options.units = "us"
    assert project.costs().to_pandas()["area_ha"].tolist() == before


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("theme", "blue", 'theme must be "light", "dark" or None, not \'blue\''),
        ("units", "acres", 'units must be "metric" .* or "us" .*, not \'acres\''),
        ("currency", 5, 'currency must be a string such as "USD", not 5'),
    ],
)
def test_what_no_option_can_be_is_refused(name: str, value: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        setattr(options, name, value)
    with pytest.raises(AttributeError):
        options.colour = "red"  # type: ignore[attr-defined]


def test_a_cell_shows_a_chart_and_no_line_of_text(project: Any) -> None:
    shell = pytest.importorskip("IPython.core.interactiveshell").InteractiveShell.instance()
    axes = plot_costs(project.costs())
    assert shell.display_formatter.format(axes) == ({}, {})


def test_axes_have_short_labels_where_a_team_has_one_design(project: Any) -> None:
    names = [label.get_text() for label in project.compare().plot_targets().get_xticklabels()]
    assert names == ["Conservation", "Developers", "Mobility", "Residents"]
    everything = [label.get_text() for label in project.compare(project.designs()).plot_targets().get_xticklabels()]
    assert len(set(everything)) == len(everything) == 10


def test_texts_have_at_least_8_points_in_figures_of_the_usual_size(project: Any) -> None:
    compared = project.compare()
    for axes in (plot_costs(project.costs()), compared.plot_targets(), compared.plot_schedule("project")):
        assert min(label.get_size() for label in (*axes.get_xticklabels(), *axes.get_yticklabels())) >= 8


def test_letters_that_the_usual_font_lacks_come_from_an_installed_one() -> None:
    with warnings.catch_warnings():
        # Where there is none, that is said.
        warnings.simplefilter("ignore")
        family = fonts.family_for(TITLE)
    if family is None:
        pytest.skip("no font with Japanese letters (Debian: apt-get install fonts-noto-cjk)")
    compared = small(TITLE)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for axes in (compared.plot_targets(), compared.plot_similarity(), compared.plot_conflicts("project")):
            axes.get_figure().savefig(io.BytesIO(), format="png")


def test_a_script_without_a_font_is_said_once_with_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fonts, "SAID", set())
    # As if every font had these letters only.
    monkeypatch.setattr(fonts, "_letters", lambda path: frozenset(range(128)))
    monkeypatch.setattr(fonts, "FOUND", {})
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        small(TITLE).plot_targets()
    (text,) = [str(one.message) for one in said if "no installed font" in str(one.message)]
    assert "in the package fonts-noto-cjk of Debian" in text
