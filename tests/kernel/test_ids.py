"""Match ids."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shared.match.ids import is_match_id, new_match_id

times = st.integers(0, 2**48 * 1000 - 1)


@settings(deadline=None)
@given(times, times)
def test_ids_sort_in_the_order_in_which_they_were_made(one: int, other: int) -> None:
    """As text, by their milliseconds."""
    earlier, later = sorted((one, other))
    if earlier // 1000 < later // 1000:
        assert new_match_id(earlier) < new_match_id(later)


@settings(deadline=None)
@given(times)
def test_a_new_id_is_an_id(now: int) -> None:
    """26 characters, and not the same twice."""
    first, second = new_match_id(now), new_match_id(now)
    assert is_match_id(first)
    assert len(first) == 26
    assert first != second
    assert first[:10] == second[:10]


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("", id="nothing"),
        pytest.param("01HZZZZZZZZZZZZZZZZZZZZZZ", id="a letter too few"),
        pytest.param("01HZZZZZZZZZZZZZZZZZZZZZZZZ", id="a letter too many"),
        pytest.param("01hzzzzzzzzzzzzzzzzzzzzzzz", id="small letters"),
        pytest.param("01HZZZZZZZZZZZZZZZZZZZZZZU", id="a letter that is not in the alphabet"),
        pytest.param("81HZZZZZZZZZZZZZZZZZZZZZZZ", id="more than 128 bits"),
        pytest.param("01HZZZZZZZZZZZZZZZZZZZZZZZ\n", id="a line end"),
        pytest.param("\u0660\u0661HZZZZZZZZZZZZZZZZZZZZZZZZ"[:26], id="digits of another script"),
        pytest.param("{1HZZZZZZZZZZZZZZZZZZZZZZZ", id="a brace, which would choose a slot"),
    ],
)
def test_what_is_no_id_is_told(text: str) -> None:
    """Nothing else may become part of a key's name."""
    assert not is_match_id(text)
