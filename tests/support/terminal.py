"""A program at a terminal of its own: what it prints is waited for, what a person types is sent, keys and all."""

from __future__ import annotations

import os
import pty
import re
import select
import time
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager

CTRL_C, CTRL_D = "\x03", "\x04"

SECONDS = 30.0
"""How long a program may take to print what is waited for."""

PATIENCE = 2.0
"""How long a person waits before pressing Ctrl-C again."""

_CONTROLS = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\r")


class Terminal:
    """One program, from its start to its end.

    `printed` is everything so far, without what only steers a terminal; `seen` is how far it was waited for, `raw` all of it.
    """

    def __init__(self, pid: int, fd: int) -> None:
        self.pid = pid
        self.fd = fd
        self.raw = self.printed = ""
        self.seen = 0
        self.code: int | None = None

    def interrupt(self, text: str) -> str:
        """Press Ctrl-C and wait for a text.

        A signal that comes between the prompt and the wait for a key is heard with the next key only (so CPython), so it is
        pressed again after a while, as a person does.
        """
        until = time.monotonic() + SECONDS
        while text not in self.printed[self.seen :] and time.monotonic() < until:
            self.press(CTRL_C)
            patience = time.monotonic() + PATIENCE
            while text not in self.printed[self.seen :] and time.monotonic() < patience and self._read(patience):
                continue
        return self.expect(text)

    def expect(self, text: str) -> str:
        """Wait until a text is printed behind what was waited for before; returns what stands before it."""
        until = time.monotonic() + SECONDS
        while (found := self.printed.find(text, self.seen)) < 0:
            assert time.monotonic() < until, f"{text!r} does not come; last came:\n{self.printed[-2000:]}"
            assert self._read(until), f"{text!r} never came; last came:\n{self.printed[-2000:]}"
        before = self.printed[self.seen : found]
        self.seen = found + len(text)
        return before

    def type(self, line: str) -> None:
        """Type a line."""
        self.press(line + "\n")

    def press(self, keys: str) -> None:
        """Press keys."""
        os.write(self.fd, keys.encode())

    def end(self) -> int:
        """Wait for the end; the exit code."""
        until = time.monotonic() + SECONDS
        while self._read(until):
            assert time.monotonic() < until, f"does not end; last came:\n{self.printed[-2000:]}"
        if self.code is None:
            self.code = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
        return self.code

    def _read(self, until: float) -> bool:
        """Take in what is printed. False when nobody prints any more."""
        if not select.select([self.fd], [], [], max(0.0, until - time.monotonic()))[0]:
            return True
        try:
            data = os.read(self.fd, 65536)
        except OSError:  # how a terminal says that nobody writes any more
            return False
        text = data.decode(errors="replace")
        self.raw += text
        self.printed += _CONTROLS.sub("", text)
        return bool(data)


@contextmanager
def at_terminal(args: Sequence[str], env: Mapping[str, str]) -> Generator[Terminal, None, None]:
    """Run a program with a terminal as its only input and output; it is gone at the end."""
    pid, fd = pty.fork()
    if pid == 0:
        os.execve(args[0], list(args), dict(env))
    terminal = Terminal(pid, fd)
    try:
        yield terminal
    finally:
        if terminal.code is None:
            os.kill(pid, 9)
            os.waitpid(pid, 0)
        os.close(fd)


__all__ = ["CTRL_C", "CTRL_D", "Terminal", "at_terminal"]
