from assent_analytics.injection.splice import AROUND, Piece, Spliced


def test_a_piece_is_replaced_and_its_place_kept() -> None:
    made = Spliced("say %41%42 now", [Piece(4, 10, "AB", "url")])
    assert made.text == "say AB now"
    assert made.span(4, 6) == (4, 10)
    assert made.span(0, 3) == (0, 3)
    assert made.span(7, 10) == (11, 14)
    assert made.via(4, 5) == ("url",)
    assert made.via(0, 3) == ()
    assert made.span(2, 8) == (2, 12)


def test_what_is_far_from_a_piece_is_not_read_again() -> None:
    text = "a" * 1000 + "X" + "b" * 1000
    made = Spliced(text, [Piece(1000, 1001, "decoded", "hex")])
    assert made.text == "a" * AROUND + "decoded" + "b" * AROUND
    assert made.span(AROUND, AROUND + 7) == (1000, 1001)
    assert made.span(0, 1) == (1000 - AROUND, 1001 - AROUND)


def test_of_pieces_that_overlap_the_first_and_longest_stays() -> None:
    made = Spliced("0123456789", [Piece(2, 4, "x", "a"), Piece(2, 6, "y", "b"), Piece(5, 8, "z", "c")])
    assert made.text == "01y6789"
