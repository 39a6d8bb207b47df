"""Pictures of functions and formulas: what is drawn (exact), SVG without any library, and matplotlib figures."""

from verimv.pictures.curves import curves, curves_svg
from verimv.pictures.graph import graph_svg
from verimv.pictures.maps import map_svg, region_maps

__all__ = ["curves", "curves_svg", "graph_svg", "map_svg", "region_maps"]
