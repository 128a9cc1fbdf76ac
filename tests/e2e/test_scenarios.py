"""Every text file in tests/scenarios is a test; what it may say stands in tests/scenarios/scenario.py."""

import importlib.util
import pathlib

FOLDER = pathlib.Path(__file__).resolve().parent.parent / "scenarios"
_spec = importlib.util.spec_from_file_location("scenario", FOLDER / "scenario.py")
scenario = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(scenario)

for _path in sorted(FOLDER.glob("*.txt")):
    globals()[f"test_{_path.stem}"] = lambda box, path=_path: scenario.Player(box, path).play()
