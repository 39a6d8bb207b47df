"""`verimv explain`: why a network has its value at a point, and how far until something changes."""

from __future__ import annotations

import argparse
import os

from verimv.cli.arguments import network_argument, pair, with_names
from verimv.cli.points import named_by_header, whole_point
from verimv.cli.reporter import Reporter
from verimv.cli.result import Result
from verimv.core.errors import InputError
from verimv.networks.network import Network
from verimv.networks.transforms.outputs import chosen
from verimv.questions.explanation import CertifiedDirectory, explained_at


def run(arguments: argparse.Namespace, report: Reporter) -> Result:
    report("reading")
    certified = None
    if os.path.isdir(arguments.network):
        if (arguments.box, arguments.output, arguments.margin) != (None, None, None):
            raise InputError("--box, --output and --margin: a directory is explained as it is certified")
        report("checking the certificate")
        certified = CertifiedDirectory(arguments.network)
        network: Network = with_names(certified.network, arguments.names)
    else:
        network = network_argument(arguments, report)
    if arguments.names is None:
        network = named_by_header(network, arguments.at)
    network = chosen(network, arguments.output, pair(arguments))
    point = whole_point(network.inputs, arguments.at, network.labels)
    report("explaining")
    found = explained_at(network, [point[name] for name in network.inputs], certified)
    return Result(found.to_dict(), found.text(arguments.numbers))
