"""K-2 to K-6, K-18 and K-21: options, kings, the deck."""

from services.kingdomino.rules.dominoes import NUMBERS
from services.kingdomino.rules.events import GameDealt
from services.kingdomino.rules.model import Options, State
from shared.kernel import Chance, Refusal, Seat

TWO_PLAYERS = 2
# K-3: dominoes in the deck for each player.
_DOMINOES_A_PLAYER = 12


def check_options(options: Options, players: int) -> Refusal | None:
    """K-21: the duel is for two; everything else goes with any number of players."""
    if options.mighty_duel and players != TWO_PLAYERS:
        return Refusal("K-21", f"The Mighty Duel is for {TWO_PLAYERS} players, not {players}.")
    return None


def kings_of(players: int) -> tuple[Seat, ...]:
    """K-2: the kings of all seats."""
    return tuple(map(Seat, range(players))) * (2 if players == TWO_PLAYERS else 1)


def deck_size(options: Options, players: int) -> int:
    """K-3, K-21: how many of the dominoes are used."""
    return len(NUMBERS) if options.mighty_duel else _DOMINOES_A_PLAYER * players


def deal(state: State, chance: Chance) -> GameDealt:
    """K-3, K-6: the deck and the order of the kings, both by lot."""
    game, players = state.game + 1, len(state.kingdoms)
    size = deck_size(state.options, players)
    dominoes = chance.shuffled(f"kingdomino/deck/{game}", NUMBERS)
    kings = chance.shuffled(f"kingdomino/kings/{game}", kings_of(players))
    return GameDealt(game, kings, size, dominoes[:size], len(dominoes) - size, dominoes[size:])
