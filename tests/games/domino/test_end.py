"""D-11 to D-13: when a round ends, who wins it, and the places of the others."""

from collections.abc import Sequence

import pytest

from services.domino.rules import rules, scoring
from services.domino.rules.events import RoundEnded
from shared.kernel import Places
from tests.games.domino.positions import after, answer, choices, fold, hand, line_text, play, position, started
from tests.games.domino.positions import Stacked
