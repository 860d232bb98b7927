"""What the metrics say, and what changes in them."""

from shared.metrics import REGISTRY

Samples = dict[str, float]


def samples(*names: str) -> Samples:
    """All samples of these names as Prometheus would see them, by their labels."""
    found = (sample for family in REGISTRY.collect() for sample in family.samples)
    return {" ".join((one.name, *one.labels.values())): one.value for one in found if one.name in names}


class Counted:
    """What changes in some samples from here on."""

    def __init__(self, *names: str) -> None:
        self._names = names
        self._before = samples(*names)

    def changes(self) -> Samples:
        """The differences, without the name where there is but one."""
        now = samples(*self._names)
        changed = {name: value - self._before.get(name, 0.0) for name, value in now.items()}
        return {self._short(name): value for name, value in changed.items() if value}

    def _short(self, name: str) -> str:
        return name.partition(" ")[2] if len(self._names) == 1 else name
