"""`python -m affray.sessions.cli` is `affray`."""

from . import main

main()
