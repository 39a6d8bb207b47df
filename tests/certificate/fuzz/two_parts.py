"""Certificates in two parts: a judge for each, one after the other, and what both say together."""

from __future__ import annotations

from tests.certificate.fuzz.judge import FalseLine, Judge, World
from tests.certificate.fuzz.kernel_view import KernelView
from tests.certificate.fuzz.meaning import formula_outputs
from verimv.exact import Number, format_number

#: The line between the parts.
BETWEEN = ["formula"]


def part_texts(texts: dict[str, str]) -> tuple[dict[str, str], dict[str, str]]:
    """The subjects of the two parts."""
    first = {name: texts[name] for name in ("network", "other")}
    return first, {"network": texts["other"], "formula": texts["formula"]}


def second_world(world: World) -> World:
    """The other network alone, at the same points."""
    return World(world.other, None, world.points)


class TwoPartJudge:
    """Follows a check of a network, another one and a formula, as :class:`Judge` does."""

    def __init__(self, world: World, texts: dict[str, str], view: KernelView) -> None:
        self.world, self.texts, self.view = world, texts, view
        self.part = Judge(world, part_texts(texts)[0], view)
        self.is_first = True
        self.checked_before = 0

    @property
    def checked(self) -> int:
        return self.checked_before + self.part.checked

    def follow(self, line: list) -> None:
        """To be called when the kernel has accepted a line."""
        if line[0] != "formula":
            self.part.follow(line)
            return
        number = self.part.line + 1
        try:
            self.next_part()
        except FalseLine as fault:
            fault.line = number
            raise
        self.part.line = number

    def next_part(self) -> None:
        if not self.is_first:
            raise FalseLine("a second line formula")
        self.part.finish(self.bounds())
        self.checked_before = self.part.checked
        self.part = Judge(second_world(self.world), part_texts(self.texts)[1], self.view)
        self.is_first = False
        for k in range(len(self.world.values)):
            known = [known(k, side) for known in (self.view.bound, self.view.change) for side in ("low", "high")]
            if any(bound is not None for bound in known):
                raise FalseLine(f"neuron {k}: a bound of the first part is known in the second")

    def bounds(self) -> list[tuple[Number, Number]]:
        """The last bounds of the differences, as the lines of the first part have them."""
        found, count = self.part.last_bounds, len(self.world.network.outputs)
        if missing := {(k, side) for k in range(count) for side in ("low", "high")} - found.keys():
            raise FalseLine(f"a line formula without bounds of outputs: {sorted(missing)}")
        return [(found[k, "low"], found[k, "high"]) for k in range(count)]

    def finish(self, numbers: list[tuple[Number, Number]]) -> None:
        """The kernel says that the certificate is valid: is its statement true, with the errors that it prints?"""
        if self.is_first:
            raise FalseLine("valid without a second part")
        self.part.finish(numbers)
        count = len(self.world.network.outputs)
        runs = [self.world.network.run(point)[-count:] for point in self.world.points]
        formula = formula_outputs(self.texts["formula"], self.world.points)
        for k, ((scale, offset), (low, high), error) in enumerate(
            zip(numbers, self.view.errors, self.view.printed_errors, strict=True)
        ):
            for point, run in enumerate(runs):
                gap = run[k][1] - (scale * formula[k][point] + offset)
                if not (low <= gap <= high and -error <= gap <= error):
                    told = ", ".join(map(format_number, (gap, low, high, error)))
                    raise FalseLine(f"output {k}: its error, its bounds and the printed one: {told}, at point {point}")
            self.part.checked += 1


AnyJudge = Judge | TwoPartJudge


def judge_of(world: World, texts: dict[str, str], view: KernelView) -> AnyJudge:
    return (TwoPartJudge if {"other", "formula"} <= texts.keys() else Judge)(world, texts, view)
