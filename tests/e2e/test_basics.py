def test_version_is_one_line(box):
    outcome = box.run("--version").expect(0)
    assert outcome.out.startswith("agenttalk "), outcome
    assert outcome.out.count("\n") == 1, outcome
