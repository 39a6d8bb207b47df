"""The rules: proved by both solvers, false if any condition is left out, and true at points by exact evaluation."""

import re
from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from tests.effort import scaled
from verimv.solvers.obligations.asking import SESSIONS
from verimv.solvers.obligations.rules import _FUNCTIONS, RULES
from verimv.solvers.obligations.script import Script


def answer(rule, solver="z3"):
    return SESSIONS[solver](rule.logic, Script()).ask(rule.script(), 60.0).status


@pytest.mark.parametrize("solver", SESSIONS)
@pytest.mark.parametrize("name", RULES)
def test_solvers_prove_it(name, solver):
    assert answer(RULES[name], solver) == "unsat"


@pytest.mark.parametrize(
    ("name", "dropped"), [(name, condition) for name, rule in RULES.items() for condition in rule.conditions]
)
def test_every_condition_is_needed(name, dropped):
    rule = RULES[name]
    weaker = replace(rule, conditions=tuple(condition for condition in rule.conditions if condition != dropped))
    assert answer(weaker) == "sat"


#: Replacements of one word in a conclusion.
CHANGES = [("(oplus ", "(odot "), ("(odot ", "(oplus "), ("(sigma ", "(+ 0.25 "), ("(rho ", "(+ 0.25 "), ("1.0", "0.5")]

#: Changed conclusions that are still true.
STILL_TRUE = {
    ("sort units", "(= (sigma (+ w a)) (ite (<= 0.5 w) 1.0 (ite (= w 0.0) a 0.0)))"),  # w is an integer
    ("ones", "(= (sigma g) (sigma (+ 0.25 f)))"),
}


def changed():
    for name, rule in RULES.items():
        for old, new in CHANGES:
            for found in re.finditer(re.escape(old), rule.conclusion):
                yield name, rule.conclusion[: found.start()] + new + rule.conclusion[found.end() :]


@pytest.mark.parametrize(("name", "conclusion"), list(changed()))
def test_other_conclusions_are_refuted(name, conclusion):
    expected = "unsat" if (name, conclusion) in STILL_TRUE else "sat"
    assert answer(replace(RULES[name], conclusion=conclusion)) == expected


# -- at points ------------------------------------------------------------------------------------------------------------


def clipped(t, most=1):
    return min(Fraction(most), max(Fraction(0), t))


#: Meanings of the words of rules, in Python.
MEANINGS = {
    "+": lambda *xs: sum(xs),
    "-": lambda x, *xs: x - sum(xs) if xs else -x,
    "*": lambda x, y: x * y,
    "<=": lambda x, y: x <= y,
    "<": lambda x, y: x < y,
    "=": lambda x, y: x == y,
    "and": lambda *xs: all(xs),
    "or": lambda *xs: any(xs),
    "not": lambda x: not x,
    "=>": lambda x, y: not x or y,
    "ite": lambda condition, x, y: x if condition else y,
    "sigma": clipped,
    "rho": lambda t: max(Fraction(0), t),
    "oplus": lambda a, b: min(Fraction(1), a + b),
    "odot": lambda a, b: max(Fraction(0), a + b - 1),
    "upto": lambda m, t: Fraction(0) if t <= 0 else min(m, t),
}


def parsed(text):
    """Parse an expression into nested lists of words."""
    stack = [[]]
    for word in re.findall(r"[()]|[^\s()]+", text):
        if word == "(":
            stack.append([])
        elif word == ")":
            done = stack.pop()
            stack[-1].append(done)
        else:
            stack[-1].append(word)
    [[expression]] = [stack[0]]
    return expression


def value(expression, at):
    if isinstance(expression, str):
        return at[expression] if expression in at else Fraction(expression)
    operator, *operands = expression
    return MEANINGS[operator](*(value(operand, at) for operand in operands))


NUMBERS = st.sampled_from([Fraction(k, 4) for k in range(-10, 15)])
SMALL = st.sampled_from([Fraction(k, 2) for k in range(-4, 7)])
#: Variables whose values are determined by conditions.
GIVEN = {
    "average": {
        "a": lambda at: (at["p"] + MEANINGS["upto"](at["m"], at["f"])) / at["s"],
        "b": lambda at: (at["f"] + at["p"]) / at["s"],
    },
    "output": {"v": lambda at: at["scale"] * at["f"] + at["offset"]},
    "within": {"o": lambda at: at["scale"] * at["f"] + at["offset"]},
    "same": {"v": lambda at: clipped(at["f"]), "w": lambda at: clipped(at["f"])},
    "multiple crelu": {"p": lambda at: Fraction(1)},
    "multiple identity": {"t": lambda at: at["p"] * at["s"]},
    "equal": {"d": lambda at: Fraction(0)},
}


@pytest.mark.parametrize("name", RULES)
@settings(max_examples=scaled(20), suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow])
@given(data=st.data())
def test_it_holds_at_points(name, data):
    rule = RULES[name]
    at = {word: data.draw(NUMBERS if len(rule.names.split()) < 4 else SMALL) for word in rule.names.split()}
    assume(at.get("s") != 0 or name != "average")
    for word, follows in GIVEN.get(name, {}).items():
        at[word] = follows(at)
    assume(all(value(parsed(condition), at) for condition in rule.conditions))
    assert value(parsed(rule.conclusion), at)


@pytest.mark.parametrize("name", _FUNCTIONS)
@given(data=st.data())
def test_functions_are_what_they_are_meant_to_be(name, data):
    _, word, parameters, _, body = parsed(_FUNCTIONS[name])
    at = {parameter: data.draw(NUMBERS) for parameter, _ in parameters}
    assert word == name
    assert value(body, at) == MEANINGS[name](*at.values())
