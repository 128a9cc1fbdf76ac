"""A program on a pseudo-terminal, and a terminal that understands what agenttalk draws with."""

import fcntl
import os
import pty
import re
import select
import signal
import struct
import termios
import time
import unicodedata

ESCAPE = re.compile(r"\x1b(?:\[([0-9;?]*)([@-~])|([78]))")


class Screen:
    """Rows of cells; wide characters take two. What scrolls off the top is kept."""

    def __init__(self, columns):
        self.columns = columns
        self.rows = [[]]
        self.row = self.column = 0
        self.saved = (0, 0)
        self.unknown = []
        self.wrapped = []

    def feed(self, text):
        at = 0
        while at < len(text):
            escape = ESCAPE.match(text, at)
            if escape:
                self._escape(*escape.groups())
                at = escape.end()
                continue
            self._put(text[at])
            at += 1

    def _escape(self, number, command, cursor):
        if cursor == "7":
            self.saved = (self.row, self.column)
        elif cursor == "8":
            self.row, self.column = self.saved
        elif command == "A":
            self.row -= int(number or 1)
            assert self.row >= 0, "drawn above the top"
        elif command == "K":
            del self.rows[self.row][self.column:]
        elif command == "J":
            del self.rows[self.row][self.column:]
            del self.rows[self.row + 1:]
        elif command != "m":
            self.unknown.append((number, command))

    def _put(self, char):
        if char == "\r":
            self.column = 0
        elif char == "\n":
            self.row += 1
            while len(self.rows) <= self.row:
                self.rows.append([])
        elif char == "\b":
            self.column -= 1
        else:
            width = 2 if unicodedata.east_asian_width(char) in "WF" else 1
            if self.column + width > self.columns:  # goes on in the next row
                self.wrapped.append("".join(self.rows[self.row]))
                self._put("\r")
                self._put("\n")
            row = self.rows[self.row]
            row += [" "] * (self.column + width - len(row))
            row[self.column] = char
            if width == 2:
                row[self.column + 1] = ""
            self.column += width

    @property
    def lines(self):
        return ["".join(row).rstrip() for row in self.rows]

    @property
    def text(self):
        return "\n".join(self.lines)

    def column_of(self, word):
        """In which columns a word begins, row by row."""
        found = []
        for row in self.rows:
            for column in range(len(row)):
                if "".join(row[column:]).startswith(word) and row[column] != "":
                    found.append(column)
                    break
        return found


class Terminal:
    def __init__(self, arguments, env, cwd, columns=80, rows=24):
        self.screen = Screen(columns)
        self.raw = ""
        self._rest = b""
        self.pid, self.master = pty.fork()
        if self.pid == 0:
            # As under a person's shell, also when the tests run under nohup or in the background.
            for number in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM):
                signal.signal(number, signal.SIG_DFL)
            os.chdir(cwd)
            os.execvpe(arguments[0], [str(one) for one in arguments], env)
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        self.modes = termios.tcgetattr(self.master)
        self.code = None

    def _read(self, seconds):
        ready, _, _ = select.select([self.master], [], [], seconds)
        if not ready:
            return True
        try:
            data = self._rest + os.read(self.master, 65536)
        except OSError:  # everybody has closed the other side
            return False
        text = data.decode("utf-8", "ignore")
        self._rest = b""
        for cut in range(1, 4):  # the end of a character may come with the next piece
            try:
                text = data[:len(data) - cut + 1].decode("utf-8")
                self._rest = data[len(data) - cut + 1:]
                break
            except UnicodeDecodeError:
                continue
        self.raw += text
        self.screen.feed(text)
        return True

    def expect(self, words, times=1, seconds=30):
        deadline = time.monotonic() + seconds
        while self.screen.text.count(words) < times:
            assert time.monotonic() < deadline and self._read(0.1), f"no {words!r} in\n{self.screen.text}"

    def type(self, text):
        os.write(self.master, text.encode())

    def kill(self, number):
        os.kill(self.pid, number)

    def running(self):
        return os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None

    def wait(self, seconds=30):
        deadline = time.monotonic() + seconds
        while True:
            done, status = os.waitpid(self.pid, os.WNOHANG)
            if done:
                break
            assert time.monotonic() < deadline, f"still running\n{self.screen.text}"
            self._read(0.05)
        while self._read(0.05) and select.select([self.master], [], [], 0)[0]:
            pass
        self.code = os.waitstatus_to_exitcode(status)
        return self.code

    def expect_untouched(self):
        """The modes are what they were, the cursor is there, nothing strange was sent."""
        assert termios.tcgetattr(self.master)[:4] == self.modes[:4], "the terminal's modes were left changed"
        assert not self.screen.unknown, self.screen.unknown

    def close(self):
        try:
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
        except (ProcessLookupError, ChildProcessError):
            pass
        os.close(self.master)
