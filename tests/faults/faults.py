"""Faults by name and number, and the library that makes them happen."""

import dataclasses
import os
import re
import struct

KILLS = ("kill_before", "kill_after", "torn")
ERRORS = ("eio", "enospc", "short")
CUTS = ("cut_before", "cut_after")


@dataclasses.dataclass(frozen=True)
class Fault:
    """Written as NAME@CALL, NAME@CALLxLENGTH (0: for good), with :KINDS behind it to count only calls of these kinds."""

    name: str = "none"
    at: int = 0
    length: int = 1
    kinds: str = ""

    @staticmethod
    def parse(text):
        match = re.fullmatch(r"([a-z_]+)@(\d+)(?:x(\d+))?(?::([a-z]+))?", text)
        if not match:
            raise ValueError(f"no fault: {text}")
        name, at, length, kinds = match.groups()
        return Fault(name, int(at), 1 if length is None else int(length), kinds or "")

    def __str__(self):
        length = "" if self.length == 1 else f"x{self.length}"
        return f"{self.name}@{self.at}{length}" + (f":{self.kinds}" if self.kinds else "")

    @property
    def lasts(self):
        return self.length == 0


NO_FAULT = Fault()


def environment(shim, directory, record, fault):
    """The variables that load the library into a process; see io_shim.cc."""
    return {"LD_PRELOAD": str(shim), "IO_SHIM_DIR": str(directory), "IO_SHIM_RECORD": str(record),
            "IO_SHIM_FAULT": fault.name, "IO_SHIM_AT": str(fault.at), "IO_SHIM_FOR": str(fault.length),
            "IO_SHIM_KINDS": fault.kinds}


def read_record(path):
    """How many calls there were, how many were tampered with, and the first of these."""
    if not os.path.exists(path):
        return 0, 0, ""
    with open(path, "rb") as file:
        data = file.read()
    if len(data) < 16:
        return 0, 0, ""
    calls, tampered = struct.unpack_from("<QQ", data)
    return calls, tampered, data[16:].split(b"\0")[0].decode()
