"""Small fields: the pairing is the best of all that there are, and the certificate proves it."""

import pytest

from services.tournament.pairing.check import check
from tests.tournament.pairs.events import Setting, rounds
from tests.tournament.pairs.every_pairing import judged, pairing_of, pairings


@pytest.mark.parametrize("entrants", range(2, 9))
@pytest.mark.parametrize("wishes", [0, 1])
def test_after_any_three_rounds_no_pairing_is_better(entrants: int, wishes: int) -> None:
    for seed in range(12):
        for paired in rounds(Setting(entrants, seed, rounds=4, unrest=0.1, wishes=wishes)):
            certificate = paired.draw.certificate
            best = min(judged(paired.pool, pairing) for pairing in pairings(paired.pool.contenders))
            assert (
                judged(paired.pool, pairing_of(paired.pool, paired.draw))
                == best
                == certificate.value
                == certificate.bound
            )
            check(paired.pool, paired.draw)


def test_when_everybody_has_met_everybody_the_certificate_counts_the_rematches() -> None:
    last = list(rounds(Setting(4, 0, rounds=5, unrest=0)))[-1]
    assert (
        last.draw.certificate.value[1] == min(judged(last.pool, one)[1] for one in pairings(last.pool.contenders)) > 0
    )
