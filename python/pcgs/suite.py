"""Seven families of made-up loss sequences, each with its own way of changing the best expert.

>>> import pcgs
>>> list(pcgs.suite.families())
['switch', 'drift', 'hetero', 'heavy-tail', 'mix', 'predictive', 'adversarial']
"""

from ._pcgs import Sequence, families, generate

Sequence.__module__ = "pcgs.suite"

__all__ = ["Sequence", "families", "generate"]
