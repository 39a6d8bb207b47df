"""Full names in quotes: what is shown of a network with such names can be typed again."""

import pytest

import verimv
from verimv.cli import main
from verimv.core.errors import InputError

NETWORK = """{"format": "verimv-network", "version": 1, "inputs": ["mean radius", "area (cm)"], "outputs": ["is benign"],
"layers": [{"weights": [["1", "-1"]], "bias": ["0"], "activation": "crelu"}]}"""


def test_a_quoted_name_is_its_identifier():
    formula = verimv.parse('"mean radius" ⊕ ("area (cm)" ⊙ x) ⊕ "  mean   radius "')
    assert formula.inputs == ("area_cm", "mean_radius", "x")
    assert formula.labels == {"mean_radius": "mean radius", "area_cm": "area (cm)"}
    assert formula == verimv.parse("mean_radius ⊕ (area_cm ⊙ x) ⊕ mean_radius")
    assert verimv.parse('"inputs"').inputs == ("x_inputs",)
    text = 'verimv-formula 1\ninputs "mean radius" x\n"the sum" = "mean radius" ⊕ x\noutputs "the sum"\n'
    read = verimv.read_mv(text)
    assert (read.inputs, read.outputs) == (("mean_radius", "x"), ("the_sum",))
    assert read.labels["the_sum"] == "the sum"
    assert verimv.read_mv(read.to_mv()) == read


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('"a b" ⊕ "a-b"', '"a-b" and "a b" are both written a_b'),
        ('"" ⊕ x', "1: expected a name in quotes"),
        ('x ⊕ "a', "unexpected character"),
        ('x "a"', "expected an operator"),
    ],
)
def test_quotes_that_are_no_names(text, words):
    with pytest.raises(InputError) as error:
        verimv.parse(text)
    assert words in str(error.value)
    with pytest.raises(InputError):
        verimv.read_mv(f"verimv-formula 1\ninputs x\ny = {text}\noutputs y\n")


def test_names_with_spaces_at_the_command_line(tmp_path, capsys):
    path, folder = tmp_path / "net.json", tmp_path / "out"
    path.write_text(NETWORK, encoding="utf-8")
    point = '"mean radius"=3/4,area (cm)=1/4'

    def printed(*words, code=0):
        assert main([str(word) for word in words]) == code
        return capsys.readouterr().out

    assert printed("extract", path, "-o", folder).startswith('"mean radius" ⊙ ¬"area (cm)"\n')
    shown = '"mean radius" ⊙ ¬"area (cm)"'
    assert printed("equiv", path, shown).startswith("equal\n")
    assert 'at "mean radius"=1, "area (cm)"=1: left = 0' in printed("equiv", path, '"mean radius"', code=1)
    assert 'at "mean radius"=1, "area (cm)"=1' in printed("distance", path, '"mean radius"')
    for subject in (path, folder, shown):
        assert printed("eval", subject, "--at", point) == "1/2\n"
    assert printed("explain", folder, "--at", point).startswith('"is benign" = 1/2')
    assert "is benign" in (folder / "report.html").read_text(encoding="utf-8")
    printed("convert", path, "-o", tmp_path / "again.json")
    assert verimv.load(tmp_path / "again.json").labels == verimv.load(path).labels


def test_a_name_that_means_another_variable():
    network = verimv.load([([[1, 1]], [0])], names=["a b", "a-b"])
    assert network.inputs == ("a_b", "a_b_2")
    assert not verimv.equivalent(network, '"a b" ⊕ a_b_2')
    for compare in (verimv.equivalent, verimv.distance):
        with pytest.raises(InputError, match='"a-b" is a_b_2 in the network'):
            compare('"a-b" ⊕ x', network)
