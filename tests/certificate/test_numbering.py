"""Evidence about places, as a certificate writes it."""

import pytest

from tests.oracle import build_network
from verimv.bounding.situation import LeafCase, SplitCase
from verimv.certificate.numbering import Numbering, case_words
from verimv.core.errors import InternalError
from verimv.exact import Rational

NETWORK = build_network([([[1, 1], [1, -1], [0, 1]], [0, 0, 0], "relu"), ([[1, 1, 1], [1, 0, 0]], [0, 0], "relu")])


def test_inputs_come_first_then_neurons_layer_by_layer():
    numbering = Numbering(NETWORK)
    places = [0, 1, (1, 0), (1, 1), (1, 2), (2, 0), (2, 1)]
    assert [numbering.variable(place) for place in places] == list(range(7))


def test_cases_are_written_with_numbers():
    cases = [SplitCase((1, 2), Rational(1, 3)), LeafCase((Rational(-1, 2), Rational(4))), LeafCase()]
    words = [["split", 4, "1/3"], ["leaf", "-1/2", "4"], ["leaf"]]
    assert case_words(Numbering(NETWORK).numbered(cases)) == words


def test_places_must_be_numbered_first():
    with pytest.raises(InternalError, match=r"\(1, 2\) has no number"):
        case_words([SplitCase((1, 2), Rational(0))])
