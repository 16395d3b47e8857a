"""For every test: under CI a test that did not run, or was expected to fail, fails the run."""

from __future__ import annotations

import os

import pytest

NOT_PASSED = ("skipped", "xfailed", "xpassed")


def not_passed(config: pytest.Config) -> list[str]:
    """List the tests that neither passed nor failed, as `outcome node-id`; nothing outside CI."""
    reporter = config.pluginmanager.get_plugin("terminalreporter")
    if reporter is None or not os.environ.get("CI"):
        return []
    return [
        f"{outcome} {report.nodeid}" for outcome in NOT_PASSED for report in reporter.stats.get(outcome, ())
    ]


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    if exitstatus == pytest.ExitCode.OK and not_passed(session.config):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    if lines := not_passed(config):
        terminalreporter.section("under CI these fail the run")
        for line in lines:
            terminalreporter.write_line(line)
