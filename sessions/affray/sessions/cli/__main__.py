"""`python -m affray.sessions.cli` is `affray`."""

from . import main

if __name__ == "__main__":  # a process that is started to help with the work imports this and runs nothing
    main()
