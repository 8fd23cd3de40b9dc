"""Reads other people's CSV, JSON Lines and YAML, and says in one line what is wrong with them."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeVar

import yaml
from pydantic import BaseModel, ValidationError

from proctor.errors import InputError

Parse = Callable[[str], Any]
Schema = TypeVar("Schema", bound=BaseModel)

LARGEST = 10**15
"""No token count, byte count or time in ns of a real trace comes near this; larger ones are typing errors."""


def count(text: str) -> int:
    """A whole number from 0 to LARGEST."""
    value = int(text) if len(text) <= 20 else LARGEST + 1
    if not 0 <= value <= LARGEST:
        raise ValueError(f"expected a whole number from 0 to {LARGEST}")
    return value


def number(text: str) -> float:
    """A finite number; neither NaN nor infinite, and no larger than LARGEST either way."""
    value = float(text)
    if not math.isfinite(value) or abs(value) > LARGEST:
        raise ValueError("expected a finite number")
    return value


def duration(text: str) -> float:
    """A finite number, 0 or more."""
    value = number(text)
    if value < 0:
        raise ValueError("expected 0 or more")
    return value


def word(text: str) -> str:
    """Any text that is not empty."""
    if not text:
        raise ValueError("expected a name")
    return text


def text_of(path: Path) -> str:
    """The whole file as text. Raises InputError when it is absent, a folder, or not UTF-8."""
    try:
        return path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise InputError(f"{path}: no such file") from None
    except (OSError, UnicodeDecodeError) as error:
        reason = "not UTF-8 text" if isinstance(error, UnicodeDecodeError) else (error.strerror or "cannot be read")
        raise InputError(f"{path}: {reason}") from None


def is_folder(path: Path) -> bool:
    """Whether a folder is there; False for a path that no file system takes or that may not be looked at."""
    try:
        return path.is_dir()
    except OSError:
        return False


def is_file(path: Path) -> bool:
    """Whether a file is there; False as in `is_folder`."""
    try:
        return path.is_file()
    except OSError:
        return False


def rows(path: Path, columns: Mapping[str, Parse]) -> Iterator[tuple[int, tuple[Any, ...]]]:
    """Yields (line number, values in the order of `columns`) of a CSV file with a header; other columns are ignored.

    Raises InputError naming file, line and column for a missing column, a ragged row, or a field its parser refuses.
    """
    reader = records(text_of(path), path)
    _, header = next(reader, (1, []))
    missing = [name for name in columns if name not in header]
    if missing:
        raise InputError(f"{path} line 1: missing column {', '.join(missing)}; expected {', '.join(columns)}")
    places = [(header.index(name), name, parse) for name, parse in columns.items()]
    for line, cells in reader:
        if not cells:
            continue
        if len(cells) != len(header):
            raise InputError(f"{path} line {line}: {len(cells)} fields, the header has {len(header)}")
        yield line, tuple(_cell(path, line, name, parse, cells[at]) for at, name, parse in places)


def records(text: str, path: Path) -> Iterator[tuple[int, list[str]]]:
    """Yields (line number, cells) for each line of CSV, with the header. Raises InputError for what is none."""
    reader = csv.reader(io.StringIO(text))  # lines end at newlines alone: U+2028 and its like may stand in a field
    try:
        for cells in reader:
            yield reader.line_num, cells
    except csv.Error as error:
        raise InputError(f"{path} line {reader.line_num}: not CSV ({error})") from None


def _cell(path: Path, line: int, name: str, parse: Parse, text: str) -> Any:
    try:
        return parse(text)
    except ValueError as error:
        reason = str(error) if str(error).startswith("expected") else "expected a number"
        raise InputError(f"{path} line {line}: {name}: {reason}, found {text[:40]!r}") from None


def json_lines(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yields (line number, object) for each non-empty line. Raises InputError for anything else.

    Lines end at newlines alone: JSON allows U+2028 and its like inside a string.
    """
    for line, text in enumerate(text_of(path).split("\n"), start=1):
        if not text.strip():
            continue
        try:
            value = json.loads(text)
        except (ValueError, RecursionError):
            raise InputError(f"{path} line {line}: not a JSON object") from None
        if not isinstance(value, dict):
            raise InputError(f"{path} line {line}: expected a JSON object, found {type(value).__name__}")
        yield line, value


def whole(row: Mapping[str, Any], field: str, where: str, least: int = 0) -> int:
    """`row[field]` as an int from `least` to LARGEST. `where` is file and line, for the message."""
    if field not in row:
        raise InputError(f"{where}: missing field {field}")
    value = row[field]
    if type(value) is not int or not least <= value <= LARGEST:
        raise InputError(f"{where}: {field}: expected a whole number from {least} to {LARGEST}, found {_shown(value)}")
    return value


def real(row: Mapping[str, Any], field: str, where: str) -> float:
    """`row[field]` as a finite float."""
    if field not in row:
        raise InputError(f"{where}: missing field {field}")
    value = row[field]
    if type(value) not in (int, float) or not math.isfinite(value):
        raise InputError(f"{where}: {field}: expected a finite number, found {_shown(value)}")
    return float(value)


def _shown(value: object) -> str:
    return "a very large number" if type(value) is int and abs(value) > LARGEST else repr(value)[:40]


def yaml_file(path: Path, schema: type[Schema]) -> Schema:
    """A YAML file, checked against a pydantic model."""
    try:
        return checked(schema, yaml.safe_load(text_of(path)), path)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        raise InputError(f"{path}{f' line {mark.line + 1}' if mark else ''}: not valid YAML") from None


def json_file(path: Path, schema: type[Schema]) -> Schema:
    """A JSON file, checked against a pydantic model."""
    text = text_of(path)
    try:
        data = json.loads(text)
    except json.JSONDecodeError as error:
        raise InputError(f"{path} line {error.lineno}: not valid JSON") from None
    except (ValueError, RecursionError):  # a number of thousands of digits, thousands of brackets
        raise InputError(f"{path}: not valid JSON") from None
    return checked(schema, data, path)


def checked(schema: type[Schema], data: object, path: Path) -> Schema:
    """`data` as a `schema`; the first violation becomes one line that names file and field."""
    try:
        return schema.model_validate(data)
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(str(part) for part in first["loc"]) or "the whole file"
        raise InputError(f"{path}: {field}: {first['msg'][:1].lower()}{first['msg'][1:]}") from None
