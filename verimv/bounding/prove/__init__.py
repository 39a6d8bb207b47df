"""Exact arithmetic: the bound that multipliers prove in a part of the cube, rows proved by cases, linear equations.

In one module, `change_boxes`, floats whose operations are exact or rounded to the safe side.
"""
