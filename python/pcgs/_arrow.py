"""Frames that speak Arrow (Polars, PyArrow, DuckDB, ...), read without any of these.

`__arrow_c_stream__` gives a capsule with a stream of record batches, as the Arrow C data interface
describes it. What is read here are its columns of numbers, times and texts, which are copied.
"""

from __future__ import annotations

import ctypes
from typing import Any, Dict, List, NamedTuple, Optional, Tuple

import numpy as np
import numpy.typing as npt

from ._pcgs import Error


class Column(NamedTuple):
    name: str
    values: npt.NDArray[Any]  # [T] numbers, datetime64 or texts; where null NaN, NaT or None
    zone: Optional[str]  # of times that have one, which are in UTC then


_KINDS: Dict[str, Any] = {
    "text": ctypes.c_char_p,
    "number": ctypes.c_int64,
    "pointer": ctypes.c_void_p,
    "array": ctypes.POINTER(ctypes.c_void_p),
    "release": ctypes.CFUNCTYPE(None, ctypes.c_void_p),
    "call": ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p),
    "error": ctypes.CFUNCTYPE(ctypes.c_char_p, ctypes.c_void_p),
}


def _fields(layout: str) -> List[Tuple[str, Any]]:
    """Of a struct, in its order, each as name:kind."""
    return [(name, _KINDS[kind]) for name, kind in (one.split(":") for one in layout.split())]


class _Schema(ctypes.Structure):
    _fields_ = _fields(
        "format:text name:text metadata:pointer flags:number n_children:number children:array "
        "dictionary:pointer release:release private_data:pointer"
    )


class _Batch(ctypes.Structure):
    """An ArrowArray: a record batch, or a column of one."""

    _fields_ = _fields(
        "length:number null_count:number offset:number n_buffers:number n_children:number buffers:array "
        "children:array dictionary:pointer release:release private_data:pointer"
    )


class _Stream(ctypes.Structure):
    _fields_ = _fields(
        "get_schema:call get_next:call get_last_error:error release:release private_data:pointer"
    )


# What the letters of a format mean.
_NUMBERS = {
    "c": "i1", "C": "u1", "s": "i2", "S": "u2", "i": "i4", "I": "u4", "l": "i8", "L": "u8",
    "e": "f2", "f": "f4", "g": "f8",
}  # fmt: skip
_UNITS = {"s": "s", "m": "ms", "u": "us", "n": "ns"}


def read_columns(frame: Any) -> List[Column]:
    """The columns of an object with `__arrow_c_stream__`. An Error for those of other kinds."""
    capsule = frame.__arrow_c_stream__()
    pointer_of = ctypes.pythonapi.PyCapsule_GetPointer
    pointer_of.restype, pointer_of.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    stream = _Stream.from_address(pointer_of(capsule, b"arrow_array_stream"))
    schema = _Schema()
    _check(stream, stream.get_schema(ctypes.addressof(stream), ctypes.addressof(schema)))
    try:
        if schema.format != b"+s":
            raise Error("this is one column, and a frame has columns with names; give a frame")
        fields = [_Schema.from_address(schema.children[i]) for i in range(schema.n_children)]
        parts: List[List[npt.NDArray[Any]]] = [[_read(field, None)] for field in fields]
        while True:
            batch = _Batch()
            _check(stream, stream.get_next(ctypes.addressof(stream), ctypes.addressof(batch)))
            if not batch.release:
                break
            try:
                for i, field in enumerate(fields):
                    rows = slice(batch.offset, batch.offset + batch.length)
                    parts[i].append(_read(field, _Batch.from_address(batch.children[i]))[rows])
            finally:
                batch.release(ctypes.addressof(batch))
        return [
            Column(field.name.decode(), _joined(part), _zone(field))
            for field, part in zip(fields, parts)
        ]
    finally:
        schema.release(ctypes.addressof(schema))


def _check(stream: _Stream, code: int) -> None:
    if code == 0:
        return
    said = stream.get_last_error(ctypes.addressof(stream))
    raise Error(
        f"the frame cannot be read through Arrow: {(said or b'no reason is given').decode()}"
    )


def _joined(parts: List[npt.NDArray[Any]]) -> npt.NDArray[Any]:
    """The batches of a column. The first part is empty and says the type where there are none."""
    return np.concatenate(parts[1:]) if len(parts) > 1 else parts[0]


def _zone(field: _Schema) -> Optional[str]:
    text = field.format.decode()
    return text.split(":", 1)[1] or None if text.startswith("ts") else None


def _read(field: _Schema, batch: Optional[_Batch]) -> npt.NDArray[Any]:
    """A column of a batch; without one, an empty array of its type."""
    if field.dictionary:
        return _read_dictionary(field, batch)
    form = field.format.decode()
    if form in _NUMBERS:
        return _with_gaps(_fixed(batch, _NUMBERS[form]), batch)
    if form == "b":
        return _with_gaps(_bits(batch, 1), batch)
    if form == "n":
        return np.full(0 if batch is None else batch.length, np.nan)
    if form == "tdD":
        return _times(_fixed(batch, "i4"), batch, "D")
    if form == "tdm":
        return _times(_fixed(batch, "i8"), batch, "ms")
    if form.startswith("ts"):
        return _times(_fixed(batch, "i8"), batch, _UNITS[form[2]])
    if form in ("u", "U", "vu"):
        return _texts(form, batch)
    raise Error(
        f"the column {field.name.decode()} is of Arrow's type {form}, which is neither numbers, times "
        "nor text; leave it out, or cast it"
    )


def _memory(batch: _Batch, buffer: int, size: int) -> Any:
    """So many bytes of a buffer."""
    at = batch.buffers[buffer]
    if not at or size == 0:
        return b"\0" * size
    return (ctypes.c_char * size).from_address(at)


def _fixed(batch: Optional[_Batch], dtype: str) -> npt.NDArray[Any]:
    kind = np.dtype(dtype)
    if batch is None:
        return np.empty(0, kind)
    end = batch.offset + batch.length
    whole = np.frombuffer(_memory(batch, 1, end * kind.itemsize), kind)
    return whole[batch.offset :].copy()


def _bits(batch: Optional[_Batch], buffer: int) -> npt.NDArray[np.bool_]:
    if batch is None:
        return np.empty(0, bool)
    end = batch.offset + batch.length
    packed = np.frombuffer(_memory(batch, buffer, (end + 7) // 8), "u1")
    return np.unpackbits(packed, bitorder="little")[batch.offset : end].astype(bool)


def _missing(batch: Optional[_Batch]) -> Optional[npt.NDArray[np.bool_]]:
    """Which values are null; None: none of them."""
    if batch is None or batch.null_count == 0 or not batch.buffers[0]:
        return None
    return ~_bits(batch, 0)


def _with_gaps(values: npt.NDArray[Any], batch: Optional[_Batch]) -> npt.NDArray[Any]:
    missing = _missing(batch)
    if missing is None:
        return values
    out = values.astype("f8")
    out[missing] = np.nan
    return out


def _times(counts: npt.NDArray[Any], batch: Optional[_Batch], unit: str) -> npt.NDArray[Any]:
    out = counts.astype("i8").view(f"M8[{unit}]")
    missing = _missing(batch)
    if missing is not None:
        out[missing] = np.datetime64("NaT")
    return out


def _texts(form: str, batch: Optional[_Batch]) -> npt.NDArray[Any]:
    if batch is None:
        return np.empty(0, object)
    out = np.empty(batch.length, object)
    missing = _missing(batch)
    pieces = _viewed(batch) if form == "vu" else _offset(batch, "i4" if form == "u" else "i8")
    for t, piece in enumerate(pieces):
        out[t] = None if missing is not None and missing[t] else piece.decode()
    return out


def _offset(batch: _Batch, dtype: str) -> List[bytes]:
    """Texts one after the other, and where each begins."""
    end = batch.offset + batch.length
    starts = np.frombuffer(_memory(batch, 1, (end + 1) * np.dtype(dtype).itemsize), dtype)
    starts = starts[batch.offset :]
    data = bytes(_memory(batch, 2, int(starts[-1])))
    return [data[a:b] for a, b in zip(starts[:-1].tolist(), starts[1:].tolist())]


def _viewed(batch: _Batch) -> List[bytes]:
    """Short texts in 16 bytes with their length, longer ones somewhere in the other buffers."""
    end = batch.offset + batch.length
    views = bytes(_memory(batch, 1, 16 * end))
    found: List[bytes] = []
    for t in range(batch.offset, end):
        view = views[16 * t : 16 * t + 16]
        length = int.from_bytes(view[:4], "little", signed=True)
        if length <= 12:
            found.append(view[4 : 4 + length])
            continue
        which = int.from_bytes(view[8:12], "little")
        start = int.from_bytes(view[12:16], "little")
        found.append(ctypes.string_at(batch.buffers[2 + which] + start, length))
    return found


def _read_dictionary(field: _Schema, batch: Optional[_Batch]) -> npt.NDArray[Any]:
    words = _read(
        _Schema.from_address(field.dictionary),
        None if batch is None else _Batch.from_address(batch.dictionary),
    )
    codes = _fixed(batch, _NUMBERS[field.format.decode()])
    missing = _missing(batch)
    if words.dtype != object:
        words = words.astype("f8") if words.dtype.kind in "iufb" else words
    out = np.empty(len(codes), words.dtype)
    there = np.ones(len(codes), bool) if missing is None else ~missing
    out[there] = words[codes[there]]
    if missing is not None:
        nothing: Dict[str, Any] = {"O": None, "f": np.nan, "M": np.datetime64("NaT")}
        out[missing] = nothing[words.dtype.kind]
    return out
