"""Files that are made to cost much: each set is smaller than a million bytes. No kernel may take long over them."""

import gzip
import json
from collections.abc import Callable, Iterator
from pathlib import Path

from tests.certificate.by_verdict.make import HAT, Case, formula, network

__all__ = ["HAT", "MAKERS", "write"]

#: White space adds to what a kernel may do, and says nothing: files are filled up to this size.
MOST_BYTES = 990_000

LONG = "9" * 4299
ONE = network(([[1, 0]], "relu"))
TWO_LAYERS = network(([[1, 0], [-1, 1]], "relu"), ([[1, 1, 0]], "identity"))


def _bound(cases: Iterator[str] | list[str]) -> str:
    return f'["bound",2,0,"high","5",{",".join(cases)}]'


def roots_in_a_leaf() -> Case:
    leaf = '["leaf",' + ",".join(['"sqrt(2)"'] * 800_000) + "]"
    return Case([_bound([leaf])] * 3, network=TWO_LAYERS)


def roots_of_many_numbers() -> Case:
    """Radicands that a cache cannot hold."""
    lines = [f'["unit",1,0,"sqrt({10**9 - 1 - k})",0]' for k in range(5000)]
    return Case(lines * 40, network=ONE)


def a_wide_cone() -> Case:
    return Case(['["node",2]', f'["equals",1,1,[{",".join(["1"] * 2_000_000)}],["leaf"],["leaf"]]'], **_pair())


def many_cones() -> Case:
    cone = ",".join(["1"] * 50_000)
    return Case(['["node",2]', *[f'["equals",1,1,[{cone}],["leaf"],["leaf"]]'] * 500], **_pair())


def _pair() -> dict[str, str]:
    return {"original": formula("y1 = x1"), "formula": formula("y1 = x1 ⊕ x1")}


def close_sums_of_roots() -> Case:
    """p − q·√2 for p² − 2q² = ±1, again and again."""
    p, q = 1, 1
    while q.bit_length() < 1500:
        p, q = p + 2 * q, p + q
    weights = [f"{p}-{q}*sqrt(2)", f"{p + 1}-{q}*sqrt(2)-sqrt(3)"]
    text = network(([[weights[0], weights[1]], [weights[1], weights[0]]], "relu"), ([[1, 1, 0]], "identity"))
    return Case([_bound(['["leaf"]'])] * 100_000, network=text)


def sums_of_many_roots() -> Case:
    """Sixteen roots with long coefficients in every number."""
    products = [2**a * 3**b * 5**c * 7**d for a in (0, 1) for b in (0, 1) for c in (0, 1) for d in (0, 1)]
    x = "+".join(f"{10**30 + n}*sqrt({n})/{10**29 + n}" for n in products)
    text = network(([[x, x], [x, "-" + x.replace("+", "-")]], "relu"), ([[x, x, 0]], "identity"))
    line = _bound(['["leaf"]']).replace('"5"', f'"{10**9}"')
    return Case([line] * 200_000, network=text)


def long_denominators() -> Case:
    """Of bounds by splits: all sums of a leaf have their product for a denominator."""
    splits = [f'["split",0,"1/{10**4289 + 2 * k + 1}"]' for k in range(5)]
    cases = [*splits, *['["leaf"]'] * 6]
    return Case([_bound(cases)] * 100, network=TWO_LAYERS)


def long_weights() -> Case:
    row = [f"1/{10**4000 + 2 * k + 1}" for k in range(2)]
    text = network((([[*row, 1]] * 20), "relu"), ([[1] * 21], "relu"), inputs=("x1", "x2"))
    return Case(['["bound",2,0,"high","500",["leaf"]]'] * 100_000, network=text)


def long_multipliers() -> Case:
    text = network(([[2, -1], [-2, 1]], "relu"), ([[1, 1, 0]], "identity"))
    return Case([_bound([f'["leaf","1/{LONG}","1/{LONG}"]'])] * 2000, network=text)


def numbers_of_many_terms() -> Case:
    x = "+".join(["1/3"] * 99)
    return Case([f'["unit",1,0,"{x}",0]'] * 300_000, network=ONE)


def a_number_of_millions_of_terms() -> Case:
    return Case([_bound(['["leaf","' + "+".join(["1"] * 4_000_000) + '"]'])] * 5, network=TWO_LAYERS)


def lines_without_end() -> Case:
    return Case(['["node",2]', *['["atom",1]'] * 8_000_000], network=ONE, formula=formula("y1 = x1"))


def units_without_end() -> Case:
    return Case(['["unit",1,0,"1",0]'] * 3_000_000, network=ONE, formula=formula("y1 = x1"))


def a_long_plus() -> Case:
    return Case(['["node",2]', f'["plus",{",".join(["1"] * 4_000_000)}]'], network=ONE, formula=formula("y1 = x1"))


def many_plus() -> Case:
    lines = [f'["plus",{",".join(["1"] * k)}]' for k in range(100, 4000, 3)]
    return Case(['["node",2]', *lines], network=ONE, formula=formula("y1 = x1"))


def doublings() -> Case:
    """Coefficients 2^k: long numbers by short lines."""
    lines = [f'["plus",{k},{k}]' for k in range(1, 100_000)]
    return Case(['["node",2]', *lines], network=ONE, formula=formula("y1 = x1"))


def long_scales() -> Case:
    lines = [f'["unit",1,0,"{LONG}/7",{k}]' for k in range(5000)]
    wide = network(([[1] * 2000 + [0]], "relu"), inputs=[f"x{k}" for k in range(2000)])
    return Case(lines, network=wide)


def long_constants() -> Case:
    """Values with long constants, and a dense layer above them."""
    width = 200
    names = [f"y{k}" for k in range(width)]
    text = network(([[0, 1]] * width, "relu"), ([[1] * width + [0]] * width, "relu"), outputs=names)
    lines = [f'["clip",1,{k},"1/{10**4000 + k}",{10**4000 + k}]' for k in range(width)]
    return Case(lines, network=text)


def sorting() -> Case:
    sequence, lines, claims = [1], ['["node",2]'], 1
    for size in range(1, 64):
        lines.append(f'["sort",{size},{",".join(map(str, sequence))},1]')
        sequence = list(range(claims + 1, claims + size + 2))
        claims += size + 1
    both = ",".join(map(str, sequence))
    return Case([*lines, *[f'["sort",64,{both},{both}]'] * 30_000], network=ONE, formula=formula("y1 = x1"))


def deep_splits() -> Case:
    width = 5000
    wide = network(([[1] * width + [0]], "relu"), inputs=[f"x{i}" for i in range(width)])
    splits = [f'["split",{i % width},"1/2"]' for i in range(8 * width)]
    return Case([f'["bound",1,0,"high","1",{",".join(splits)}]'], network=wide)


def leaves_without_end() -> Case:
    width = 100
    text = network(
        ([[k - 50, k % 7, 1] for k in range(width)], "relu"),
        ([[(i * k) % 11 - 5 for k in range(width + 1)] for i in range(width)], "relu"),
        ([[1] * width + [0]], "identity"),
        inputs=("x1", "x2"),
    )
    line = '["bound",3,0,"high","1000000000",["split",0,"1/2"],["leaf"],["leaf"]]'
    return Case([line] * 500_000, network=text)


def _sweeps(layer: int) -> str:
    """A bound of a neuron with many sweeps below."""
    sweeps = ",".join(['["sweep"]'] * 100_000)
    return f'["bound",{layer},0,"high","1",{sweeps},["leaf"]]'


def sweeps_without_end() -> Case:
    """Of a hundred neurons above another hundred, all with a kink."""
    width = 100
    text = network(
        ([[2 * k - 99, 3 * k % 7 - 3, 1] for k in range(width)], "relu"),
        ([[(i * k) % 11 - 5 for k in range(width + 1)] for i in range(width)], "relu"),
        ([[1] * width + [0]], "identity"),
        inputs=("x1", "x2"),
    )
    return Case([_sweeps(3)], network=text)


def sweeps_of_long_weights() -> Case:
    """Coefficients that grow from layer to layer."""
    layer = ([[f"{LONG[:40]}/7", f"-{LONG[:40]}/11", "-1/3"]] * 2, "relu")
    text = network(([[1, -1, 0], [-1, 2, "-1/2"]], "relu"), *[layer] * 15, ([[1, 1, 0]], "relu"), inputs=("x1", "x2"))
    return Case([_sweeps(17)], network=text)


def sweeps_of_many_denominators() -> Case:
    """Each input occurs with a thousand denominators: the common one of all has thousands of digits."""
    primes = [p for p in range(2, 9000) if all(p % d for d in range(2, int(p**0.5) + 1))][:1000]
    text = network(
        ([[f"1/{p}", f"-1/{p}", 0] for p in primes], "relu"), ([[1] * 1001], "identity"), inputs=("x1", "x2")
    )
    return Case([_sweeps(2)], network=text)


def sweeps_of_many_neurons() -> Case:
    """Each neuron has a kink, and a walk that passes by all neurons before it."""
    return Case([_sweeps(2)], network=_sparse(60_000).replace('"0"]', '"-1/2"]').replace('"0",', '"-1/2",'))


def splits_after_a_sweep() -> Case:
    """Every situation that is open has the bounds of thousands of neurons."""
    width = 4000
    text = network(([[1, "-1/2"]] * width, "relu"), ([[1] * (width + 1)], "identity"))
    splits = [f'["split",{i % width},"1/{i % 9 + 2}"]' for i in range(20_000)]
    return Case([f'["bound",2,0,"high","1",["sweep"],{",".join(splits)}]'], network=text)


def long_shared_factors() -> Case:
    above = [([[1, 0]] * 3000, "relu"), ([[1] * 3000 + [0]] * 3, "relu"), ([[1, 1, 1, 0]], "identity")]
    first, second = (network(([[w, 0]], "relu"), *above) for w in (1, f"1/{LONG}"))
    return Case([], network=first, other=second)


def a_line_nested_deeply() -> Case:
    return Case(["[" * 3_000_000 + "]" * 3_000_000] * 5, network=ONE, formula=formula("y1 = x1"))


def a_line_of_empty_lists() -> Case:
    return Case(['["equals",1,1,[' + ",".join(["[]"] * 2_500_000) + '],["leaf"]]'] * 20, **_pair())


def prefixes_without_end() -> Case:
    return Case([], network=ONE, formula=formula("y1 = " + "¬" * 200_000 + "δ[2]" * 50_000 + "x1"))


def operands_without_end() -> Case:
    return Case([], network=ONE, formula=formula("y1 = " + "⊕".join(["x1"] * 150_000)))


def many_neurons() -> Case:
    return Case(['["bound",2,0,"high","1",["leaf"]]'] * 50_000, network=_sparse(7_000))


def _sparse(count: int) -> str:
    """A layer of many neurons, and one above that knows but one of them."""
    data = json.loads(ONE)
    data["layers"] = [
        {"weights": [["1"]] * count, "bias": ["0"] * count, "activation": "relu"},
        {"weights": [{"width": count, "0": "1"}], "bias": ["0"], "activation": "relu"},
    ]
    return json.dumps(data, separators=(",", ":"))


def multipliers_with_long_denominators() -> Case:
    leaf = ",".join(f'"1/{10**4299 + 2 * k + 1}"' for k in range(200))
    return Case([f'["bound",1,0,"high","1",["leaf",{leaf}]]'] * 20, network=ONE)


def known_fractions() -> Case:
    """Bounds of neurons that the leaves know nothing of."""
    count = 5000
    lines = [f'["bound",2,{k},"low","-1/3"]' for k in range(count)]
    names = [f"y{k}" for k in range(count)]
    text = network(([[1, 0], [-1, 1]], "relu"), ([[1, 1, 0]] * count, "relu"), outputs=names).replace(", ", ",")
    line = '["bound",1,0,"high","1",["split",0,"1/2"],["leaf"],["leaf"]]'
    return Case([*lines, *[line] * 30_000], network=text)


def products_of_many_roots() -> Case:
    products = [2**a * 3**b * 5**c * 7**d for a in (0, 1) for b in (0, 1) for c in (0, 1) for d in (0, 1)]
    x = "+".join(f"sqrt({n})" for n in products)
    wide = [f"x{k}" for k in range(2000)]
    text = network(([[1] * 2000 + [0]], "identity"), ([[x, 0]], "relu"), inputs=wide).replace(", ", ",")
    return Case([f'["unit",2,0,"{k}+{x}",0]' for k in range(3000)], network=text)


def long_constants_of_claims() -> Case:
    text = network(([[f"1/{10**4299 + 1}", f"1/{10**4299 + 3}"]], "relu"))
    return Case(['["unit",1,0,"1",0]', f'["plus",{",".join(["1"] * 1_000_000)}]'], network=text)


def saturated_claims_with_long_constants() -> Case:
    text = network(([[f"1/{10**4299 + 1}", f"1/{10**4299 + 3}"]], "relu"))
    return Case(['["unit",1,0,"1",0]', *['["same",1,1]'] * 300_000], network=text)


def radicands_that_grow() -> Case:
    primes = [p for p in range(2, 9000) if all(p % d for d in range(2, int(p**0.5) + 1))][:1000]
    text = network(*[([[f"sqrt({p})", 0]], "identity") for p in primes], ([[1, 0]], "relu"))
    return Case([f'["unit",{len(primes) + 1},0,"1",0]'] * 100_000, network=text)


MAKERS: dict[str, Callable[[], Case]] = {
    maker.__name__: maker
    for maker in (
        roots_in_a_leaf, roots_of_many_numbers, a_wide_cone, many_cones, close_sums_of_roots, sums_of_many_roots,
        long_denominators, long_weights, long_multipliers, numbers_of_many_terms, a_number_of_millions_of_terms,
        lines_without_end, units_without_end, a_long_plus, many_plus, doublings, long_scales, long_constants, sorting,
        deep_splits, leaves_without_end, long_shared_factors, a_line_nested_deeply, a_line_of_empty_lists,
        prefixes_without_end, operands_without_end, many_neurons,
        sweeps_without_end, sweeps_of_long_weights, sweeps_of_many_denominators,
        sweeps_of_many_neurons, splits_after_a_sweep,
        multipliers_with_long_denominators, known_fractions, products_of_many_roots, long_constants_of_claims,
        saturated_claims_with_long_constants, radicands_that_grow,
    )
}  # fmt: skip


def write(name: str, directory: Path, padded: int = 0) -> Path:
    """Write a set of files, the certificate gzipped; padded, a kernel may do as much as for so many bytes."""
    case = MAKERS[name]()
    if padded:
        subject, text = next(iter(case.subjects.items()))
        size = len(gzip.compress(case.text().encode())) + sum(len(text.encode()) for text in case.subjects.values())
        case = Case(case.lines, **{**case.subjects, subject: text + " " * (padded - size)})
    case.pack = lambda data: data
    case.write(directory)
    return directory
