import pytest
import sympy
from hypothesis import given, settings

from tests.oracle import expressions, formula_values, grid
from verimv.core.errors import InputError
from verimv.formulas.formula import Formula, parse
from verimv.formulas.mvfile import read_mv, write_mv
from verimv.formulas.printing import ASCII, LATEX, SYMPY, UNICODE

TEXTS = [
    "0", "1", "x", "¬x", "¬¬x", "x ⊕ y ⊕ z", "x ⊕ (y ⊕ z)", "x ⊙ y ⊕ z", "x ⊙ (y ⊕ z)", "x → y → z", "(x → y) → z",
    "x ∧ y ∨ z", "x ∧ (y ∨ z)", "x ↔ y", "x ↔ y ↔ z", "x ↔ (y ↔ z)", "¬(x ⊕ y)", "δ[3]x ⊕ Δ[sqrt(2)/2]¬y", "3·x", "3·(x ⊙ y)", "¬3·x",
    "x ⊕ x", "(x ⊕ x) ⊙ ¬(x ⊙ x)", "δ[2]δ[3]x", "x10 ⊙ x2", "Δ[1/3]1",
]  # fmt: skip


@pytest.mark.parametrize("text", TEXTS)
def test_text_is_printed_as_it_was_read(text):
    assert str(parse(text)) == text
    assert parse(parse(text).text(ASCII)) == parse(text)


@pytest.mark.parametrize(("text", "printed"), [
    ("x(+)y", "x ⊕ y"), ("x(*)~y", "x ⊙ ¬y"), ("x (-) y", "x ⊙ ¬y"), ("x ⊖ y ⊕ z", "x ⊙ ¬y ⊕ z"), ("x/\\y\\/z", "x ∧ y ∨ z"),
    ("x->y<->z", "x → y ↔ z"), ("d[2]x (+) D[0.5]y", "δ[2]x ⊕ Δ[1/2]y"), ("4*x", "4·x"), ("((x))", "x"),
    ("x ⊕ x ⊕ x", "3·x"), ("1·x", "x"), ("d ⊕ D", "d ⊕ D"), ("x' ⊕ a.b", "x' ⊕ a.b"), ("\n x\n⊕ y ", "x ⊕ y"),
])  # fmt: skip
def test_other_spellings(text, printed):
    assert str(parse(text)) == printed


@pytest.mark.parametrize(("loose", "bracketed"), [
    ("¬x ⊙ y", "(¬x) ⊙ y"), ("x ⊕ y ⊙ z", "x ⊕ (y ⊙ z)"), ("x ⊕ y ⊖ z", "(x ⊕ y) ⊖ z"), ("x ∧ y ⊕ z", "x ∧ (y ⊕ z)"),
    ("x ∨ y ∧ z", "x ∨ (y ∧ z)"), ("x → y ∨ z", "x → (y ∨ z)"), ("x → y → z", "x → (y → z)"), ("x ↔ y → z", "x ↔ (y → z)"),
    ("3·x ⊙ y", "(3·x) ⊙ y"), ("δ[2]x ⊕ y", "(δ[2]x) ⊕ y"), ("¬δ[2]3·x", "¬(δ[2](3·x))"), ("x ⊖ y ⊖ z", "(x ⊖ y) ⊖ z"),
])  # fmt: skip
def test_binding_strength(loose, bracketed):
    assert parse(loose) == parse(bracketed)


@pytest.mark.parametrize(("text", "column"), [
    ("", 1), ("x ⊕", 4), ("x y", 3), ("(x", 1), ("x ⊕ ((y)", 5), ("x)", 2), ("⊕ x", 1), ("x ⊕ ⊙ y", 5), ("()", 2), ("x @ y", 3),
    ("x ⊕ 2", 5), ("0.5", 1), ("δ[0]x", 1), ("δ[1/2]x", 1), ("Δ[a]x", 1), ("d[]x", 1), ("x¬", 2), ("0·x", 1), ("01", 1), ("¬", 2),
    ("δ[" + "9" * 5000 + "]x", 1), ("xδ[2]y", 2), ("x₁", 2), ("Δ[nan]x", 1), ("x ⊕ Δ[1/0]y", 5),
])  # fmt: skip
def test_errors_name_the_column(text, column):
    with pytest.raises(InputError) as error:
        parse(text)
    assert error.value.column == column
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("text", ["Δ[2]x", "Δ[-1]x", "Δ[sqrt(2)]x"])
def test_factors_outside_the_unit_interval(text):
    with pytest.raises(InputError, match=r"\[0,1\]"):
        parse(text)


@given(expressions())
def test_printing_and_reading_keep_the_formula(text):
    formula = parse(text)
    for style in (UNICODE, ASCII):
        again = parse(formula.text(style))
        for point in grid(3, 2):
            at = dict(zip(("x1", "x2", "x10"), point, strict=True))
            assert formula_values(again, at) == formula_values(formula, at)
        assert again.length == formula.length
        assert parse(formula.text(style, derived=False)) == formula
    assert read_mv("".join(write_mv(formula))) == formula


@settings(max_examples=25)
@given(expressions(names=("x", "y"), max_leaves=6))
def test_sympy_agrees(text):
    formula = parse(text)
    expression = formula.to_sympy()
    scripted = sympy.sympify(formula.text(SYMPY)) if "\n" not in formula.text(SYMPY) else None
    for x, y in grid(2, 3):
        at = {name: sympy.Rational(v.numerator, v.denominator) for name, v in (("x", x), ("y", y))}
        expected = formula_values(formula, {"x": x, "y": y})[0]
        for candidate in filter(None, [sympy.sympify(expression), scripted]):
            value = candidate.subs({symbol: at[symbol.name] for symbol in candidate.free_symbols}).doit()
            assert value == sympy.Rational(str(expected))


def test_latex():
    assert parse("(x1 ⊕ x10) ⊙ ¬x2").latex() == r"\left(x_{1} \oplus x_{10}\right) \odot \lnot x_{2}"
    assert parse("Δ[sqrt(2)/2]x → δ[3]y").latex() == r"\Delta_{\frac{\sqrt{2}}{2}} x \rightarrow \delta_{3} y"
    assert parse("my_var ∧ 3·(x ∨ y)").latex() == r"\mathrm{my\_var} \wedge 3\cdot \left(x \vee y\right)"


def long_formula() -> Formula:
    lines = ["verimv-formula 1", "inputs x y", "t1 = x ⊕ y"]
    lines += [f"t{i + 1} = t{i} ⊙ ¬t{max(1, i - 1)} ⊕ t{i}" for i in range(1, 40)]
    return read_mv("\n".join([*lines, "outputs t40"]))


@pytest.mark.parametrize("style", [UNICODE, ASCII, LATEX, SYMPY])
def test_long_formulas_are_printed_as_definitions(style):
    text = long_formula().text(style)
    assert 10 < text.count("\n") < 100
    assert all(len(line) < 300 for line in text.splitlines())


def test_sympy_definitions_run():
    names = {"Min": sympy.Min, "Max": sympy.Max, "Rational": sympy.Rational, "sqrt": sympy.sqrt,
             "x": sympy.Rational(1, 3), "y": sympy.Rational(1, 5)}  # fmt: skip
    exec(long_formula().text(SYMPY), names)
    value = long_formula()(x="1/3", y="1/5")
    assert names["t40"] == sympy.Rational(int(value.numerator), int(value.denominator))


def test_mv_file_as_documented():
    text = "verimv-formula 1\ninputs x1 x2\nt1 = x1 ⊕ x1\nt2 = x1 ⊙ x2\ny1 = t1 ⊙ ¬t2\noutputs y1\n"
    formula = read_mv(text)
    assert formula.inputs == ("x1", "x2")
    assert str(formula) == "(x1 ⊕ x1) ⊙ ¬(x1 ⊙ x2)"
    assert read_mv("# a comment\n\n" + text.replace("\n", "\r\n")) == formula


def test_mv_file_with_several_outputs_and_awkward_names():
    formula = read_mv("verimv-formula 1\ninputs t1 t2 unused\na = t1 ⊕ t2\nb = a ⊙ a\nc = a ⊙ ¬b\noutputs b c t1\n")
    assert formula.outputs == ("b", "c", "t1")
    assert formula.inputs == ("t1", "t2", "unused")


@pytest.mark.parametrize(("text", "line", "what"), [
    ("", 1, "verimv-formula 1"), ("verimv-formula 2", 1, "verimv-formula 1"), ("x ⊕ y", 1, "verimv-formula 1"),
    ("verimv-formula 1\n", 2, "inputs"), ("verimv-formula 1\nx = y", 2, "inputs"),
    ("verimv-formula 1\ninputs x\n", 3, "outputs"), ("verimv-formula 1\ninputs x x\noutputs x", 2, "twice"),
    ("verimv-formula 1\ninputs x\nt = u ⊕ x\noutputs t", 3, "u is not defined"),
    ("verimv-formula 1\ninputs x\nt = t ⊕ x\noutputs t", 3, "t is not defined"),
    ("verimv-formula 1\ninputs x\na = b ⊕ x\nb = a ⊕ x\noutputs a", 3, "b is not defined"),
    ("verimv-formula 1\ninputs x\nt = x\nt = ¬x\noutputs t", 4, "twice"),
    ("verimv-formula 1\ninputs x\nx = ¬x\noutputs x", 3, "twice"),
    ("verimv-formula 1\ninputs x\nt = (x ⊕ x\noutputs t", 3, "never closed"),
    ("verimv-formula 1\ninputs x\nnonsense\noutputs x", 3, "name = formula"),
    ("verimv-formula 1\ninputs x\noutputs", 3, "at least one"), ("verimv-formula 1\ninputs x\noutputs y", 3, "not defined"),
    ("verimv-formula 1\ninputs x\noutputs x x", 3, "twice"), ("verimv-formula 1\ninputs x\noutputs x\nt = x", 4, "nothing after"),
    ("verimv-formula 1\ninputs 1x\noutputs 1x", 2, "name"), ("verimv-formula 1\ninputs outputs\noutputs x", 2, "name"),
])  # fmt: skip
def test_malformed_mv_files(text, line, what):
    with pytest.raises(InputError, match=what) as error:
        read_mv(text, "f.mv")
    assert (error.value.source, error.value.line) == ("f.mv", line)
    assert str(error.value).startswith(f"f.mv:{line}:")


def test_mv_errors_name_the_column_in_the_line():
    with pytest.raises(InputError) as error:
        read_mv("verimv-formula 1\ninputs x\nlong_name = x ⊕ @\noutputs x")
    assert error.value.column == 17
