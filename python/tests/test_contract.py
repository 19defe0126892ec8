"""The contract suite, for every registered method and for controllers of one's own."""

import pytest

import contract
import controllers
import pcgs

# These learn from forecasts alone: tests/contract/forecast_contract_test.cc has their contract.
FROM_FORECASTS = ("blend", "pcgs-tf:combine")
REGISTERED = [
    *(m for m in pcgs.methods() if m not in FROM_FORECASTS),
    "guard{learned=0}",
    "fixed-share{eta=500,rho=0.2}",
]
CUSTOM = {
    "FixedShare": controllers.FixedShare,
    "Remembering": controllers.Remembering,
    "OwnFormat": lambda: controllers.OwnFormat(0.1),
    "FirstExpertOnly": controllers.FirstExpertOnly,
}


class Player:
    """Makes aggregators of one method."""

    def __init__(self, name):
        self.name = name

    def method(self):
        return CUSTOM[self.name]() if self.name in CUSTOM else self.name

    def make(self, experts):
        return pcgs.Aggregator(experts, self.method())

    def load(self, state):
        controller = self.method() if self.name in CUSTOM else None
        return pcgs.Aggregator.from_bytes(state, controller=controller)

    @property
    def tolerance(self):
        """Networks work in float, so that the order of sums shows (tests/contract)."""
        return 2e-3 if self.name.startswith(("pcgs-tf", "guard")) else 1e-10


@pytest.fixture(params=[*REGISTERED, *CUSTOM])
def player(request):
    return Player(request.param)


def test_starts_uniform(player):
    contract.starts_uniform(player.make)


def test_is_feasible(player):
    contract.is_feasible(player.make)


def test_is_causal(player):
    contract.is_causal(player.make)


def test_ignores_what_has_not_happened(player):
    contract.ignores_what_has_not_happened(player.make)


def test_is_deterministic(player):
    contract.is_deterministic(player.make)


def test_is_equivariant(player):
    if player.name == "FirstExpertOnly":  # the suite can tell
        with pytest.raises(AssertionError):
            contract.is_equivariant(player.make, player.tolerance)
    else:
        contract.is_equivariant(player.make, player.tolerance)


def test_resumes_to_the_bit(player):
    contract.resumes_to_the_bit(player.make, player.load)


@pytest.mark.parametrize("experts, rounds", [(1, 60), (2, 250), (7, 250), (1000, 3)])
def test_survives_hostile_losses(player, experts, rounds):
    contract.survives_hostile_losses(player.make, experts, rounds)


def test_state_does_not_grow(player):
    contract.state_does_not_grow(player.make)
