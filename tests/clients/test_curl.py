"""curl: the namespace is plain HTTP with JSON, and rows are Arrow."""


def test_the_connect_tab(connect):
    shown = connect("curl")
    assert all(word in shown for word in ["words.v1", "vec", "north"]), shown
