"""The interface of minicons (Misra 2022) over minpair: ``from minpair.minicons import scorer`` where a notebook says ``from minicons
import scorer``. :mod:`minpair.minicons.scorer` says where the two differ."""

from . import scorer

__all__ = ["scorer"]
