"""What a listener hears: Step 1 once; then, layer by layer, recipes that build every unit, and the layer."""

import pytest

from verimv.certificate.writer import CertificateWriter
from verimv.extraction.events import LayerBuilt, NetworkClipped, UnitsBuilt
from verimv.extraction.pipeline import extract_uncertified
from verimv.paper.experiments.families import random_network


@pytest.mark.parametrize("kind", ["integer", "float32"])
@pytest.mark.parametrize("strategy", ["paper", "compact"])
def test_events_come_in_the_order_of_the_steps(kind, strategy):
    events = []
    network = random_network((2, 3, 2, 1), 3, kind)
    found = extract_uncertified(network, strategy=strategy, logic="rmv", bounds="interval", listener=events.append)
    first, *others = events
    assert isinstance(first, NetworkClipped)
    assert len(first.hidden) == len(found.clipped.layers)
    layers = [*found.clipped.layers, found.clipped.outputs]
    for units in layers:
        built = []
        while isinstance(others[0], UnitsBuilt):
            group = others.pop(0).recipe.group
            assert group.forms == [units[member] for member in group.members]
            built += group.members
        assert sorted(built) == list(range(len(units)))
        assert others.pop(0) == LayerBuilt(units)
    assert not others


def test_a_listener_changes_nothing():
    network = random_network((2, 3, 1), 5, "integer")
    heard = extract_uncertified(network, listener=CertificateWriter()).formula
    assert str(heard) == str(extract_uncertified(network).formula)
