"""agenttalk init"""


def test_init_makes_a_hub_here_or_there(box):
    box.run("init").expect(0)
    assert (box.dir / "agenttalk.yaml").is_file()
    made = box.run("init", "there/deep", "--template", "report", "--json").expect(0).json
    assert made["template"] == "report" and "plan.yaml" in made["files"], made
    for file in made["files"]:
        assert (box.dir / "there/deep" / file).stat().st_size > 0, file


def test_init_refuses_a_hub_that_is_there(box):
    box.run("init", "hub").expect(0)
    before = (box.dir / "hub/agenttalk.yaml").read_text()
    error = box.run("init", "hub", "--template", "report", "--json").expect(2).json["error"]
    assert error["code"] == "ALREADY_EXISTS", error
    assert (box.dir / "hub/agenttalk.yaml").read_text() == before
    assert not (box.dir / "hub/plan.yaml").exists()


def test_init_says_what_cannot_be_written(box):
    box.write("file", "not a directory")
    error = box.run("init", "file/hub", "--json").expect(4).json["error"]
    assert error["code"] == "IO" and "file/hub" in error["message"], error
