"""Numbers on the command line, called by a name that people use where one is wrong."""

from __future__ import annotations

import click


class WholeNumber(click.IntRange):
    name = "whole number"


class Number(click.FloatRange):
    name = "number"
