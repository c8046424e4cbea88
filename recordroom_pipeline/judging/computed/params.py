"""Parameters of computed checks: what each kind accepts, and how SPEC.md's YAML value becomes one.

A kind reads a value or raises `ParamFault` with the words that complete "param 'tolerance' …".
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Literal

from recordroom_pipeline.judging.computed.labels import is_usable
from recordroom_pipeline.judging.computed.paths import Matcher, Path, PathFault, read_matcher, read_path

Op = Literal["<=", "<", ">=", ">"]
Take = Literal["each", "max", "min", "sum", "count"]
OPS: tuple[Op, ...] = ("<=", "<", ">=", ">")
TAKES: tuple[Take, ...] = ("each", "max", "min", "sum", "count")
AMOUNT_KINDS = ("currency", "number", "percent")


class ParamFault(ValueError):
    """What is wrong with a value, and what to write; both complete sentences about the param."""

    def __init__(self, message: str, remedy: str) -> None:
        super().__init__(message)
        self.message = message
        self.remedy = remedy


@dataclass(frozen=True, slots=True, kw_only=True)
class Operand:
    """One side of a ratio or an order: a labelled number or date in sources, or a column taken together."""

    label: tuple[str, ...] = ()
    stated_in: tuple[str, ...] = ()
    table: str | None = None
    column: tuple[str, ...] = ()
    take: Take = "sum"


@dataclass(frozen=True, slots=True, kw_only=True)
class Total:
    """What a sum over arguments is compared with: a number, or a path into the arguments or the result."""

    number: Decimal | None = None
    path: Path | None = None
    in_result: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ParamSpec:
    """One parameter that a check knows."""

    name: str
    read: Callable[[Any], Any]
    default: Any = None
    """As it would be written in SPEC.md; None where leaving it out has a meaning of its own."""
    required: bool = False


def number(value: Any) -> Decimal:
    """A YAML number, or one quoted with thousands separators."""
    if isinstance(value, (int, float, Decimal)) and not isinstance(value, bool):
        read = Decimal(str(value))
    elif isinstance(value, str) and value.replace(",", "").replace(".", "", 1).lstrip("+-").isdecimal() and value.isascii():
        read = Decimal(value.replace(",", ""))
    else:
        raise ParamFault(f"is {value!r}, not a number", "write a plain number such as `25000000` or `0.8`")
    if not is_usable(read):
        raise ParamFault(f"is {value!r}, which is no usable number", "write a plain number such as `25000000` or `0.8`")
    return read


def not_negative(value: Any) -> Decimal:
    """A number of at least 0."""
    read = number(value)
    if read < 0:
        raise ParamFault(f"is {value}, below 0", "write 0 or more")
    return read


def whole(value: Any) -> int:
    """A whole number of at least 0."""
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise ParamFault(f"is {value!r}, not a whole number from 0", "write a number such as `1`")
    return value


def flag(value: Any) -> bool:
    """true or false."""
    if not isinstance(value, bool):
        raise ParamFault(f"is {value!r}, not true or false", "write `true` or `false`")
    return value


def word(value: Any) -> str:
    """One name."""
    if not isinstance(value, str) or not value.strip():
        raise ParamFault(f"is {value!r}, not a name", "write one name, in quotes if it looks like a number")
    return value.strip()


def words(value: Any) -> tuple[str, ...]:
    """One name, or a list of them."""
    items = value if isinstance(value, (list, tuple)) else [value]
    if not items or not all(isinstance(item, str) and item.strip() for item in items):
        raise ParamFault(f"is {value!r}, not a name or a list of names", "write one name, or `[first, second]`")
    return tuple(item.strip() for item in items)


def op(value: Any) -> Op:
    """How the left side must stand to the limit."""
    for known in OPS:
        if value == known:
            return known
    raise ParamFault(f"is {value!r}", f"write one of {', '.join(f'`{known}`' for known in OPS)}, in quotes")


def take(value: Any) -> Take:
    """What of a column is compared."""
    for known in TAKES:
        if value == known:
            return known
    raise ParamFault(f"is {value!r}", f"write one of {', '.join(f'`{known}`' for known in TAKES)}")


def amount_kinds(value: Any) -> tuple[str, ...]:
    """Kinds of written amounts."""
    read = words(value)
    if unknown := [item for item in read if item not in AMOUNT_KINDS]:
        raise ParamFault(f"names {unknown[0]!r}", f"use {', '.join(f'`{known}`' for known in AMOUNT_KINDS)}")
    return read


def path(value: Any) -> Path:
    """A way into arguments, such as ``payment_methods[].amount``."""
    try:
        return read_path(word(value))
    except PathFault as fault:
        raise ParamFault(str(fault), "write names parted by dots, `[]` after a list: `payment_methods[].amount`") from fault


def where(value: Any) -> Mapping[Path, Matcher]:
    """Arguments that must have given values."""
    if not isinstance(value, Mapping) or not value:
        raise ParamFault(f"is {value!r}, not a mapping", "write `{argument: value}`, a list for several allowed values")
    try:
        return {read_path(str(key)): read_matcher(wanted) for key, wanted in value.items()}
    except PathFault as fault:
        raise ParamFault(
            str(fault), "write `{argument: value}`, `{argument: [value, value]}` or `{argument: {prefix: text}}`"
        ) from fault


def total(value: Any) -> Total:
    """A number, a path into the arguments, or ``{result: path}``."""
    if isinstance(value, Mapping):
        if set(value) != {"result"}:
            raise ParamFault(f"is {value!r}", "write `{result: path}`, a path into the arguments, or a number")
        return Total(path=path(value["result"]), in_result=True)
    if isinstance(value, str):
        return Total(path=path(value))
    return Total(number=number(value))


def operand(value: Any) -> Operand:
    """``{label, in}`` or ``{table, column, take}``."""
    return _operand(value, {"label", "in", "table", "column", "take"})


def labelled(value: Any) -> Operand:
    """``{label, in}`` alone."""
    return _operand(value, {"label", "in"})


def _operand(value: Any, known: set[str]) -> Operand:
    remedy = "write `{label: total insured value, in: cover sheet}`" + (
        " or `{table: schedule, column: TIV, take: sum}`" if "column" in known else ""
    )
    if not isinstance(value, Mapping) or set(map(str, value)) - known:
        raise ParamFault(f"is {value!r}", remedy)
    if ("label" in value) == ("column" in value) or ("in" in value and "column" in value):
        raise ParamFault("needs either a label or a column", remedy)
    if "label" in value and ("table" in value or "take" in value):
        raise ParamFault("has a label, which goes with no table or take", remedy)
    taken = take(value["take"]) if "take" in value else "sum"
    if taken == "each":
        raise ParamFault("takes each row, which is not one number", "take `max`, `min`, `sum` or `count`")
    return Operand(
        label=words(value["label"]) if "label" in value else (),
        stated_in=words(value["in"]) if "in" in value else (),
        table=word(value["table"]) if "table" in value else None,
        column=words(value["column"]) if "column" in value else (),
        take=taken,
    )


def read_values(specs: Sequence[ParamSpec], given: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, ParamFault]]:
    """Every parameter's value, defaults filled in, and the faults by name; unknown names are the caller's to report."""
    values: dict[str, Any] = {}
    faults: dict[str, ParamFault] = {}
    for spec in specs:
        raw = given.get(spec.name, spec.default)
        if raw is None and spec.required:
            faults[spec.name] = ParamFault("is missing", f"add `{spec.name}: {{default: …}}` to `params`")
        try:
            values[spec.name] = None if raw is None else spec.read(raw)
        except ParamFault as fault:
            faults[spec.name] = fault
    return values, faults
