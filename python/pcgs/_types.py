"""What the package takes for numbers."""

from __future__ import annotations

import os
from typing import Any, Mapping, Optional, Sequence, SupportsFloat, Union

import numpy as np
import numpy.typing as npt

# An array, a list, a pandas Series: whatever NumPy reads as one dimension of real numbers.
Numbers = Union[npt.NDArray[Any], Sequence[float], Any]
# The same by the experts' names: None, or no key, for one that is asleep; a DataFrame of one row, too.
Named = Union[Numbers, Mapping[str, Optional[SupportsFloat]]]
# The same in two dimensions, a row for each round; a pandas DataFrame keeps its columns' names.
Table = Union[npt.NDArray[Any], Sequence[Sequence[float]], Any]
Array = npt.NDArray[np.float64]
Path = Union[str, bytes, "os.PathLike[str]", "os.PathLike[bytes]"]
