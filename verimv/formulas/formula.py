"""Formulas with named inputs and outputs, over one shared table of nodes."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import count, islice
from typing import Any

from verimv.core.above import above
from verimv.core.display import MAX_ROWS, cut
from verimv.core.errors import InputError, check_type
from verimv.exact import Number, as_number, format_number
from verimv.exact.numerals import is_numpy
from verimv.formulas import dag as build
from verimv.formulas.dag import Algebra, Dag, fold
from verimv.formulas.evaluate import evaluate
from verimv.formulas.measure import Measures, lengths, measure, tree_nodes, variables
from verimv.formulas.parse import RESERVED, parse_expression
from verimv.formulas.printing import (
    ASCII,
    LATEX,
    SYMPY,
    UNICODE,
    DerivedView,
    PrimitiveView,
    Style,
    definitions,
    one_line,
)

#: Written-out formulas with more nodes than this are shown as definitions.
MAX_ONE_LINE_NODES = 400
#: Of formulas with more shared nodes than this, notebooks show only the sizes.
MAX_SHOWN_NODES = 2_000
MAX_SHOWN_CHARACTERS = 20_000
#: Formulas with longer lines than this are shown as definitions.
MAX_SHOWN_LINE = 400


def natural_order(name: str) -> list[Any]:
    """Return a sort key under which x2 comes before x10."""
    return [(len(part), part) if part.isdigit() else part for part in re.split(r"([0-9]+)", name)]


class Formula:
    """One or several terms over the same inputs.

    Formulas of one output combine: ``~f``, ``f + g`` (⊕), ``f * g`` (⊙), ``f - g`` (⊖), ``f & g`` (∧), ``f | g`` (∨),
    ``f >> g`` (→), ``n * f`` (N·). Calling a formula evaluates it, exactly for numbers, in floats for numpy arrays.
    """

    __slots__ = ("_hash", "dag", "inputs", "labels", "outputs", "roots")

    def __init__(
        self,
        dag: Dag,
        inputs: Sequence[str],
        roots: Sequence[int],
        outputs: Sequence[str] | None = None,
        labels: Mapping[str, str] | None = None,
    ) -> None:
        self.dag = dag
        self._hash: int | None = None
        #: full names of inputs and outputs that were written in quotes
        self.labels: Mapping[str, str] = labels or {}
        self.inputs = tuple(inputs)
        self.roots = tuple(roots)
        free = (name for name in (f"y{i}" for i in count(1)) if name not in self.inputs)
        self.outputs = tuple(outputs) if outputs is not None else tuple(islice(free, len(self.roots)))
        if len(self.outputs) != len(self.roots):
            raise InputError(f"{len(self.roots)} terms but {len(self.outputs)} output names")
        for name, root in zip(self.outputs, self.roots, strict=True):
            if name in self.inputs and root != dag.variable(name):
                raise InputError(f"output {name} has the name of an input, but is not that input")
        missing = set(variables(dag, self.roots)) - set(self.inputs)
        if missing:
            raise InputError(f"variable {min(missing)} is not an input")

    @property
    def root(self) -> int:
        if len(self.roots) != 1:
            raise InputError(f"expected one output, found {len(self.roots)}: choose one of {', '.join(self.outputs)}")
        return self.roots[0]

    def output(self, name: str) -> Formula:
        """Return the formula of one output."""
        if name not in self.outputs:
            raise InputError(f"no output {name}: there are {', '.join(self.outputs)}")
        return Formula(self.dag, self.inputs, [self.roots[self.outputs.index(name)]], [name])

    # -- measures ---------------------------------------------------------------------------------------------

    @property
    def length(self) -> int:
        """Exact number of variable occurrences in the written-out formula, summed over outputs."""
        return sum(lengths(self.dag, self.roots))

    @property
    def size(self) -> int:
        """Number of distinct nodes of the shared DAG."""
        return self.measure().size

    @property
    def depth(self) -> int:
        return self.measure().depth

    @property
    def logic(self) -> str:
        """ "mv", "dmv" or "rmv"."""
        return self.measure().logic

    def measure(self) -> Measures:
        return measure(self.dag, self.roots)

    # -- values -----------------------------------------------------------------------------------------------

    def __call__(self, *values: Any, **named: Any) -> Any:
        """Return the value at a point given by position or name: exact, or an array of floats if an input is an array.

        With several outputs, return a dictionary from output to value.
        """
        if len(values) > len(self.inputs):
            raise InputError(f"expected {len(self.inputs)} values, found {len(values)}")
        given: dict[str, Any] = dict(zip(self.inputs, values, strict=False))
        for name, value in named.items():
            if name in given or name not in self.inputs:
                raise InputError(f"{name} is given twice" if name in given else f"no input {name}")
            given[name] = value
        missing = [name for name in self.inputs if name not in given]
        if missing:
            raise InputError(f"no value for {', '.join(missing)}")
        has_array = any(is_numpy(value, "ndarray") for value in given.values())
        results = self._floats(given) if has_array else self.at(given)
        return results[0] if len(results) == 1 else dict(zip(self.outputs, results, strict=True))

    def _floats(self, given: Mapping[str, Any]) -> list[Any]:
        """Return values in floats, where some inputs are arrays."""
        import numpy as np

        from verimv.formulas.evaluate_arrays import evaluate_floats

        columns = [value if is_numpy(value, "ndarray") else float(as_number(value)) for value in given.values()]
        arrays = np.broadcast_arrays(*(np.asarray(column, dtype=float) for column in columns))
        if any(array.size and not (array.min() >= 0 and array.max() <= 1) for array in arrays):
            raise InputError("expected values in [0,1]")
        return evaluate_floats(self.dag, self.roots, dict(zip(given, arrays, strict=True)))

    def at(self, point: Mapping[str, Any] | Sequence[Any]) -> list[Number]:
        """Return exact values of all outputs at one point of the unit cube, by name or in the order of the inputs."""
        if not isinstance(point, Mapping):
            if isinstance(point, str) or len(point) != len(self.inputs):
                raise InputError(f"expected {len(self.inputs)} values, found {len(point)}")
            point = dict(zip(self.inputs, point, strict=True))
        numbers = {name: as_number(value) for name, value in point.items()}
        if missing := [name for name in self.inputs if name not in numbers]:
            raise InputError(f"no value for {', '.join(missing)}")
        for name, value in numbers.items():
            _check_in_unit_interval(name, value)
        return evaluate(self.dag, self.roots, numbers)

    def at_points(self, points: Sequence[Sequence[Any]]) -> list[list[Number]]:
        """Return exact values at many points (inputs in order), a list of outputs for each point."""
        columns = {name: [as_number(point[i]) for point in points] for i, name in enumerate(self.inputs)}
        for name, column in columns.items():
            for value in column:
                _check_in_unit_interval(name, value)
        if not columns or not points:
            return [evaluate(self.dag, self.roots, {}) for _ in points]
        from verimv.formulas.evaluate_arrays import evaluate_points

        return [list(row) for row in zip(*evaluate_points(self.dag, self.roots, columns), strict=True)]

    # -- building ---------------------------------------------------------------------------------------------

    def substitute(self, replacements: Mapping[str, Formula]) -> Formula:
        """Replace variables simultaneously by formulas of one output, in time linear in the DAGs."""
        dag = Dag()
        nodes = {name: copy(dag, [formula.root], formula.dag)[0] for name, formula in replacements.items()}
        for name in self.inputs:
            if name not in nodes:
                nodes[name] = dag.variable(name)
        roots = copy(dag, self.roots, self.dag, nodes)
        kept = dict.fromkeys(name for name in self.inputs if name not in replacements)
        for name in self.inputs:
            if name in replacements:
                kept.update(dict.fromkeys(replacements[name].inputs))
        return Formula(dag, sorted(kept, key=natural_order), roots, self.outputs)

    def _combined(self, other: Formula, operator: Callable[[Dag, int, int], int]) -> Formula:
        if not isinstance(other, Formula):
            return NotImplemented
        dag, left, right = self.dag, self.root, other.root
        if other.dag is not dag:  # append the smaller table to the larger; both only ever grow
            if len(other.dag) > len(dag):
                dag, left = other.dag, copy(other.dag, [left], dag)[0]
            else:
                right = copy(dag, [right], other.dag)[0]
        inputs = sorted(dict.fromkeys(self.inputs + other.inputs), key=natural_order)
        return Formula(dag, inputs, [operator(dag, left, right)])

    def __invert__(self) -> Formula:
        return Formula(self.dag, self.inputs, [self.dag.node(build.NOT, self.root)])

    def __add__(self, other: Formula) -> Formula:
        return self._combined(other, lambda dag, a, b: dag.node(build.OPLUS, a, b))

    def __mul__(self, other: Formula) -> Formula:
        return self._combined(other, lambda dag, a, b: dag.node(build.ODOT, a, b))

    def __rmul__(self, times: int) -> Formula:
        if not isinstance(times, int):
            return NotImplemented
        return Formula(self.dag, self.inputs, [build.multiple(self.dag, times, self.root)])

    def __sub__(self, other: Formula) -> Formula:
        return self._combined(other, build.minus)

    def __and__(self, other: Formula) -> Formula:
        return self._combined(other, build.meet)

    def __or__(self, other: Formula) -> Formula:
        return self._combined(other, build.join)

    def __rshift__(self, other: Formula) -> Formula:
        return self._combined(other, build.implies)

    def __eq__(self, other: object) -> bool:
        """Return whether both are the same written formula (not: the same function)."""
        if not isinstance(other, Formula):
            return NotImplemented
        if self.outputs != other.outputs or self.inputs != other.inputs:
            return False
        dag = Dag()
        return copy(dag, self.roots, self.dag) == copy(dag, other.roots, other.dag)

    def __hash__(self) -> int:
        """Return a hash of the written formula; computed once, in a pass over the DAG."""
        if self._hash is None:
            self._hash = hash((self.inputs, self.outputs, *fold(self.dag, self.roots, _Hashes())))
        return self._hash

    # -- text -------------------------------------------------------------------------------------------------

    def is_short(self) -> bool:
        return tree_nodes(self.dag, self.roots, MAX_ONE_LINE_NODES + 1) <= MAX_ONE_LINE_NODES

    def text(self, style: Style = UNICODE, *, derived: bool = True, defined: bool = False) -> str:
        """Return a short formula on one line; a longer one, or if `defined`, as definitions of shared subterms."""
        view = DerivedView if derived and style is not SYMPY else PrimitiveView
        if self.is_short() and not defined:
            pairs = [
                (name, one_line(self.dag, root, style, view))
                for name, root in zip(self.outputs, self.roots, strict=True)
            ]
        else:
            shared, texts = definitions(self.dag, self.roots, style, view, self.fresh_names())
            pairs = [(d.name, d.text) for d in shared] + list(zip(self.outputs, texts, strict=True))
        if len(pairs) == 1:
            return pairs[0][1]
        return "\n".join(f"{style.name(name)} = {text}" for name, text in pairs)

    def shown(self, style: Style = UNICODE) -> str:
        """Return text for a screen: one line if that is not too long, otherwise definitions."""
        text = self.text(style)
        return text if len(text) <= MAX_SHOWN_LINE else self.text(style, defined=True)

    def latex(self) -> str:
        """Return LaTeX for math mode; an `aligned` block if definitions are needed."""
        lines = self.latex_lines()
        rows = " \\\\\n".join(lines)
        return rows if len(lines) == 1 else f"\\begin{{aligned}}\n{rows}\n\\end{{aligned}}"

    def _repr_latex_(self) -> str:
        """Return LaTeX for notebooks: on one line, or as definitions; many of these are cut, and the sizes shown."""
        measures = self.measure()
        lines = self.latex_lines() if self.is_short() or measures.size <= MAX_SHOWN_NODES else []
        if any(len(line) > MAX_SHOWN_LINE for line in lines):
            lines = self.latex_lines(defined=True)
        is_cut = len(lines) > MAX_ROWS
        if is_cut:  # keep the outputs, which come last
            last = min(len(self.roots), MAX_ROWS // 2)
            lines = [*lines[: MAX_ROWS - last], r"\vdots &", *lines[-last:]]
        if sum(map(len, lines)) > MAX_SHOWN_CHARACTERS:
            lines = []
        if is_cut or not lines:
            length = cut(measures.length_text, 40).replace("~", r"\sim ").replace("…", r"\ldots ")
            column = "&" if lines else ""
            lines.append(rf"{column}\text{{({measures.size:,} nodes, length }}{length}\text{{)}}")
        rows = " \\\\\n".join(lines)
        return f"$\\displaystyle {rows}$" if len(lines) == 1 else f"$$\\begin{{aligned}}\n{rows}\n\\end{{aligned}}$$"

    def latex_lines(self, *, defined: bool = False) -> list[str]:
        """Return the rows of :meth:`latex`."""
        lines = self.text(LATEX, defined=defined).splitlines()
        return lines if len(lines) == 1 else [line.replace(" = ", " &= ", 1) for line in lines]

    def to_text(self) -> str:
        """Return the formula with ⊕ ⊙ ¬ and so on, as :func:`parse` reads it if it is short."""
        return self.text()

    def to_ascii(self) -> str:
        """Return the formula with (+) (*) ~ and so on."""
        return self.text(ASCII)

    def to_mv(self) -> str:
        """Return the text of a ``.mv`` file, which has every shared subterm once."""
        from verimv.formulas.mvfile import write_mv

        return "".join(write_mv(self))

    def to_latex(self) -> str:
        """Return :meth:`latex`."""
        return self.latex()

    def to_smtlib(self) -> str:
        """Return the formula as assertions of SMT-LIB 2."""
        return str(above("solvers.functions", "function_smtlib", self))

    def to_network(self) -> Any:
        """Return a ReLU network that equals the formula (:func:`verimv.to_network`)."""
        return above("networks.transforms.from_formula", "to_network", self)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the formula to a file: .mv .txt .asc .tex .py .smt2, or as a network .json .onnx .nnet."""
        above("show.saving", "save_formula", self, path)

    def to_sympy(self) -> Any:
        """Return a SymPy expression in Min and Max (a list of them for several outputs), shared as the DAG is."""
        import sympy

        try:
            expressions = fold(self.dag, self.roots, _Sympy(sympy))
        except RecursionError:
            raise InputError("the formula is nested too deeply for SymPy; use text(SYMPY) instead") from None
        return expressions[0] if len(expressions) == 1 else expressions

    def fresh_names(self) -> Iterator[str]:
        """Yield t1, t2, … except names of inputs or outputs."""
        taken = {*self.inputs, *self.outputs}
        return (name for name in (f"t{i}" for i in count(1)) if name not in taken)

    def __str__(self) -> str:
        return self.text()

    def __repr__(self) -> str:
        return f"<Formula {', '.join(self.outputs)} over {', '.join(self.inputs)}: {self.measure().size} nodes>"


def _check_in_unit_interval(name: str, value: Number) -> None:
    if value < 0 or value > 1:
        raise InputError(f"{name}={format_number(value)} lies outside [0,1]")


class _Hashes(Algebra[int]):
    """A hash of every node that depends on what is written only."""

    def variable(self, name: str) -> int:
        return hash(name)

    def constant(self, value: int) -> int:
        return hash(("constant", value))

    def neg(self, a: int) -> int:
        return hash(("¬", a))

    def oplus(self, a: int, b: int) -> int:
        return hash(("⊕", a, b))

    def odot(self, a: int, b: int) -> int:
        return hash(("⊙", a, b))

    def divide(self, divisor: int, a: int) -> int:
        return hash(("δ", divisor, a))

    def scale(self, factor: Number, a: int) -> int:
        return hash(("Δ", factor, a))


class _Copy(Algebra[int]):
    """Rebuild nodes in another table without changes, except that variables become the given nodes."""

    def __init__(self, dag: Dag, nodes: Mapping[str, int] | None) -> None:
        self.dag = dag
        self.nodes = nodes

    def variable(self, name: str) -> int:
        return self.dag.variable(name) if self.nodes is None else self.nodes[name]

    def constant(self, value: int) -> int:
        return self.dag.constant(value)

    def neg(self, a: int) -> int:
        return self.dag.node(build.NOT, a)

    def oplus(self, a: int, b: int) -> int:
        return self.dag.node(build.OPLUS, a, b)

    def odot(self, a: int, b: int) -> int:
        return self.dag.node(build.ODOT, a, b)

    def divide(self, divisor: int, a: int) -> int:
        return self.dag.divide_node(divisor, a)

    def scale(self, factor: Number, a: int) -> int:
        return self.dag.scale_node(factor, a)


def copy(target: Dag, roots: Sequence[int], source: Dag, nodes: Mapping[str, int] | None = None) -> list[int]:
    """Rebuild the terms at `roots` of `source` in `target`."""
    return fold(source, roots, _Copy(target, nodes))


class _Sympy(Algebra[Any]):
    def __init__(self, sympy: Any) -> None:
        self.sympy = sympy

    def variable(self, name: str) -> Any:
        return self.sympy.Symbol(name, real=True)

    def constant(self, value: int) -> Any:
        return self.sympy.Integer(value)

    def neg(self, a: Any) -> Any:
        return 1 - a

    def oplus(self, a: Any, b: Any) -> Any:
        total = a + b
        return self.sympy.Min(1, total, evaluate=bool(total.is_number))

    def odot(self, a: Any, b: Any) -> Any:
        total = a + b - 1
        return self.sympy.Max(0, total, evaluate=bool(total.is_number))

    def divide(self, divisor: int, a: Any) -> Any:
        return a / divisor

    def scale(self, factor: Number, a: Any) -> Any:
        return self.sympy.sympify(format_number(factor)) * a


def parse(text: str) -> Formula:
    """Read one expression. Its inputs are the variables that occur, in natural order (x2 before x10)."""
    check_type(text, str)
    dag, labels = Dag(), dict[str, str]()

    def resolve(name: str) -> int:
        if name in RESERVED:
            raise InputError(f"{name} cannot name a variable: it is a keyword of formula files")
        return dag.variable(name)

    root = parse_expression(dag, text, resolve, labels)
    return Formula(dag, sorted(variables(dag, [root]), key=natural_order), [root], labels=labels)


def variable(name: str) -> Formula:
    """Return the formula that is one variable."""
    return parse(name)
