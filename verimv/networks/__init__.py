"""Exact networks: model, JSON, composition, normalisation, construction from formulas."""

from verimv.networks.affine import Affine
from verimv.networks.compile import to_network
from verimv.networks.compose import compose, concatenate, stack
from verimv.networks.json_format import read_network, write_network
from verimv.networks.load import load
from verimv.networks.network import Layer, Network
from verimv.networks.normalise import to_unit_cube, without_identity_layers

__all__ = [
    "Affine",
    "Layer",
    "Network",
    "compose",
    "concatenate",
    "load",
    "read_network",
    "stack",
    "to_network",
    "to_unit_cube",
    "without_identity_layers",
    "write_network",
]
