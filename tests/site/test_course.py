"""Oracle: a small whole course, and the same with one thing wrong. Whatever is wrong stops the build and says where."""

from collections.abc import Callable
from pathlib import Path

import pytest

from web.builder import BuildError, links
from web.builder.course import content, page
from web.builder.course.formula import Formulas
from web.labs.texts import LANGUAGES

CACHE = Path(__file__).parents[2] / ".cache"
STEP = "part/1"
FILES = {
    "course.toml": '[[part]]\nid = "part"\nlabel = "1"\nsteps = 2\n[coming]\nlabs = ["later"]\nexercises = ["soon"]\n',
    "sources.toml": '[book]\nshort = "B"\ntitle = "Book"\nauthors = "A"\nyear = 2024\nurl = "https://example.org"\n',
    "glossary.toml": '[term]\nru = "слово"\nen = "word"\nmeaning.ru = "что"\nmeaning.en = "what"\nstep = "part/1"\n',
    "part/ru.toml": 'title = "Часть"\nlead = "О чём"\n',
    "part/en.toml": 'title = "Part"\nlead = "About"\n',
    f"{STEP}/step.toml": """
exercises = ["soon"]
[numbers]
share = { is = "groups.informative_probability(0.1, 8)", known = "0.57" }
[claims.fact]
status = "report"
sources = ["book"]
ru = "Факт"
en = "Fact"
""",
    f"{STEP}/checks.toml": """
[one]
kind = "single"
ask.ru = "?"
ask.en = "?"
[[one.options]]
right = true
ru = "да"
en = "yes"
why.ru = "так"
why.en = "so"
[[one.options]]
ru = "нет"
en = "no"
why.ru = "не так"
why.en = "not so"
[two]
kind = "numeric"
ask.ru = "?"
ask.en = "?"
answer = "share"
format = ".2f"
tolerance = 0.01
why.ru = "так"
why.en = "so"
hint.ru = "ещё"
hint.en = "again"
""",
    f"{STEP}/en.md": """# Title

A [[term]], {= share; .1% =}, $p$, [said](claim:fact), [@book], [next](step:part/2), [see](lab:signal?p=0.5).

::check two

:::formula
x = {= share; .2f =}

x: what it is
:::

:::lab later?anything=1
Look.
:::

:::diagram bars
title = "T"
alt = "A"
[[bar]]
label = "one"
value = "= share"
:::

:::limits
None.
:::
""",
}
FILES[f"{STEP}/ru.md"] = FILES[f"{STEP}/en.md"].replace("# Title", "# Название").replace("Look.", "Смотрите.")
Write = Callable[[dict[str, str]], Path]


@pytest.fixture
def written(tmp_path: Path) -> Write:
    def write(files: dict[str, str]) -> Path:
        for name, text in files.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        for language in LANGUAGES:
            words = (content.HERE / f"{language}.toml").read_text(encoding="utf-8")
            (tmp_path / f"{language}.toml").write_text(words, encoding="utf-8")
        return tmp_path

    return write


def made(folder: Path) -> dict[str, page.Page]:
    """Every page of the course in a folder, by language and address; formulas typeset."""
    course, formulas = content.read(folder), Formulas()
    found = {
        f"{language}/{one.path}": one
        for language in LANGUAGES
        for one in page.pages(page.Book(course, language, formulas, folder), lambda *_: None)
    }
    formulas.typeset(CACHE)
    return found


def test_a_whole_course_is_read_in_both_languages(written: Write) -> None:
    pages = made(written(FILES))
    step = pages["ru/course/part/1/"].context["step"]
    html = "".join(piece["html"] for piece in step["pieces"])
    assert step["title"] == "Название"
    assert "57,0\u00a0%" in html
    assert '<a class="term" href="#term-term">слово</a>' in html
    assert [check["id"] for check in step["left"]] == ["one"]
    assert [piece["name"] for piece in step["pieces"] if piece["lab"]] == ["later"]
    assert "57.0%" in "".join(p["html"] for p in pages["en/course/part/1/"].context["step"]["pieces"])


def test_a_table_whose_corner_is_empty_has_no_empty_header(written: Write) -> None:
    files = dict(FILES)
    files[f"{STEP}/en.md"] += "\n|  | one |\n|---|---|\n| row | 1 |\n"
    pages = made(written(files))
    html = "".join(piece["html"] for piece in pages["en/course/part/1/"].context["step"]["pieces"])
    assert html.count("<th>") == 1
    assert html.count("<td>") == 3


def test_a_line_of_a_log_keeps_its_indentation_and_its_signs(written: Write) -> None:
    files = dict(FILES)
    lines = {
        "    a *= b_c * d  # {= share; .2f =} <x>": True,
        "len 2    rho min 0.99": False,
        r"text \\\\(x\\\\)": False,
    }
    files[f"{STEP}/checks.toml"] += '[log]\nkind = "fault"\nask.ru = "?"\nask.en = "?"\n' + "".join(
        f'[[log.lines]]\nfault = {str(fault).lower()}\nru = "{line}"\nen = "{line}"\nwhy.ru = "да"\nwhy.en = "yes"\n'
        for line, fault in lines.items()
    )
    checks = made(written(files))["ru/course/part/1/"].context["step"]["checks"]
    shown = [str(item["text"]) for item in checks[-1]["items"]]
    first, second = '<span class="whole">a *= b_c * d</span>', '<span class="whole"># 0,57 &lt;x&gt;</span>'
    assert shown[0] == f"    {first}  {second}"
    assert shown[1] == '<span class="whole">len 2</span>    <span class="whole">rho min 0.99</span>'
    assert shown[2] == r"text \\(x\\)"


def test_a_table_that_a_phone_has_no_room_for_can_stand_row_by_row(written: Write) -> None:
    files = dict(FILES)
    head = "| scheme | what the [long](claim:fact) denominator counts | where a response longer than others stands |"
    wide = f"\n{head}\n|---|---|---|\n| counterintuitively | characteristically | indistinguishable |\n"
    files[f"{STEP}/en.md"] += wide + "\n| a | b |\n|---|---|\n| 1 | 2 |\n"
    html = "".join(piece["html"] for piece in made(written(files))["en/course/part/1/"].context["step"]["pieces"])
    assert html.count('class="words rows"') == 1
    assert html.count("<table>") == 1
    heads = '<span class="cell-head" aria-hidden="true">what the long denominator counts</span> characteristically</td>'
    assert f'<td role="cell">{heads}' in html


def test_no_line_begins_with_a_dash(written: Write) -> None:
    files = dict(FILES)
    files[f"{STEP}/ru.md"] += "\nЭто — [[term]] — и `a — b`.\n"
    html = "".join(piece["html"] for piece in made(written(files))["ru/course/part/1/"].context["step"]["pieces"])
    assert "Это\u00a0— <a" in html
    assert "</a>\u00a0— и" in html


def test_numbers_in_code_are_computed_and_a_badge_keeps_its_full_stop(written: Write) -> None:
    files = dict(FILES)
    files[f"{STEP}/en.md"] += "\nSo `a {= share; .1% =}` ($p$) it is [said](claim:fact).\n"
    html = "".join(piece["html"] for piece in made(written(files))["en/course/part/1/"].context["step"]["pieces"])
    assert "<code>a 57.0%</code>" in html
    assert "authors’ report</a>.</span>" in html.replace("'", "’")
    assert '<span class="whole">(<span class="whole">' in html


WRONG = [
    ("en.md", None, "", "lacks en.md"),
    ("en.md", "# Title", "Title", "the first line is the title"),
    ("en.md", "[[term]]", "[[nothing]]", "unknown term"),
    ("ru.md", "[@book]", "[@nothing]", "unknown source"),
    ("en.md", "claim:fact", "claim:other", "unknown claim"),
    ("ru.md", "[said](claim:fact), ", "", "is made nowhere"),
    ("en.md", "lab:signal?p=0.5", "lab:nothing", "unknown lab"),
    ("en.md", "lab:signal?p=0.5", "lab:signal?p=5", "not a state of this lab"),
    ("en.md", "step:part/2", "step:part/3", "unknown step"),
    ("en.md", "[next](step:part/2)", "[next](https://example.org)", "a page elsewhere is a source"),
    ("en.md", "[next](step:part/2)", "[next](exercise:nothing)", "unknown exercise"),
    ("en.md", ":::limits\nNone.\n:::", "", "what it does not say"),
    ("en.md", "$p$", r"$\nosuchcommand$", "en.md: KaTeX parse error"),
    ("en.md", "\nx: what it is\n", "", "names its symbols"),
    ("en.md", "share; .1%", "share", "lacks a format"),
    ("en.md", "share; .1%", "shore; .1%", "cannot compute"),
    ("en.md", "::check two", "::check three", "checks.toml has one, two"),
    ("en.md", ":::diagram bars", ":::diagram pie", "unknown diagram"),
    ("en.md", 'alt = "A"\n', "", "lacks `alt`"),
    ("en.md", ":::lab", ":::labb", "unknown block"),
    ("step.toml", 'known = "0.57"', 'known = "0.58"', "known to be 0.58, but pycore gives"),
    ("step.toml", 'status = "report"\n', "", "the status None"),
    ("step.toml", 'sources = ["book"]\n', "", "a report needs `sources`"),
    ("step.toml", 'sources = ["book"]', 'sources = ["none"]', "unknown source"),
    ("step.toml", 'en = "Fact"\n', "", "lacks its text in `en`"),
    ("step.toml", 'exercises = ["soon"]', 'exercises = ["never"]', "unknown exercise"),
    ("checks.toml", 'why.en = "not so"\n', "", r"options\[1\].why lacks its text in `en`"),
    ("checks.toml", "right = true\n", "", "one right option"),
    ("checks.toml", "tolerance = 0.01", "tolerance = 0", "needs `tolerance`"),
    ("checks.toml", 'hint.en = "again"\n', "", "hint lacks its text"),
    ("checks.toml", 'kind = "single"', 'kind = "guess"', "the kind 'guess'"),
    (
        "checks.toml",
        'hint.en = "again"\n',
        'hint.en = "again"\n[[two.traps]]\nvalue = "0.57"\nwhy.ru = "а"\nwhy.en = "a"\n',
        "accepted as right",
    ),
]


@pytest.mark.parametrize(("file", "old", "new", "message"), WRONG, ids=[message for *_, message in WRONG])
def test_one_wrong_thing_stops_the_build(written: Write, file: str, old: str | None, new: str, message: str) -> None:
    files = dict(FILES)
    name = f"{STEP}/{file}"
    if old is None:
        del files[name]
    else:
        assert old in files[name]
        files[name] = files[name].replace(old, new, 1)
    folder = written(files)
    with pytest.raises(BuildError, match=message):
        made(folder)


def test_a_link_that_leads_nowhere_stops_the_build(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text('<p id="here"></p><a href="b.html#there"></a><a href="#here"></a>')
    (tmp_path / "b.html").write_text('<p id="there"></p><a href="https://example.org/"></a><a href="./a.html?q=1"></a>')
    assert links.check(tmp_path) == 3
    (tmp_path / "b.html").write_text('<p id="other"></p>')
    with pytest.raises(links.DeadLink, match="no place `there`"):
        links.check(tmp_path)
    (tmp_path / "b.html").unlink()
    with pytest.raises(links.DeadLink, match="no such file"):
        links.check(tmp_path)


def test_every_word_of_the_course_is_whole() -> None:
    course, formulas = content.read(), Formulas()
    for language in LANGUAGES:
        pages = {one.path for one in page.pages(page.Book(course, language, formulas, content.HERE), lambda *_: None)}
        assert {f"course/{step.id}/" for step in course.steps} <= pages
    formulas.typeset(CACHE)


def test_both_languages_of_a_step_use_the_same_things() -> None:
    course, formulas = content.read(), Formulas()
    uses = {}
    for language in LANGUAGES:
        for one in page.pages(page.Book(course, language, formulas, content.HERE), lambda *_: None):
            if step := one.context.get("step"):
                labs = [(piece["name"], piece["query"]) for piece in step["pieces"] if piece["lab"]]
                terms = {term["id"] for term in step["terms"]}
                claims = [claim["id"] for claim in step["claims"]]
                uses.setdefault(step["id"], []).append((labs, terms, set(claims), len(step["left"])))
    for step, (first, second) in uses.items():
        assert first == second, step
