"""Measurements behind the course's figures. Each module is a command; results that are quoted are in ``results/``."""
