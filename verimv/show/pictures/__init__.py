"""Pictures of functions and formulas, with exact content: SVG without a library, and matplotlib figures."""

from verimv.show.pictures.curves import curves, curves_svg
from verimv.show.pictures.graph import graph_svg
from verimv.show.pictures.maps import map_svg, region_maps

__all__ = ["curves", "curves_svg", "graph_svg", "map_svg", "region_maps"]
