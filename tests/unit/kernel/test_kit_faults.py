"""Every check of the kit is shown to find a plugin with that fault, and to find nothing where there is none."""

from __future__ import annotations

import pytest

from affray.kernel.testing import RULE_CHECKS, check_house_rule, check_rules
from affray.kernel.testing import watch as watching

from ...support.faults import FAULTS, FEW
from ...support.sound import Bless, Sound

CASES = [pytest.param(code, name, id=f"{code}: {name}") for code, cases in FAULTS.items() for name in cases]

ELSEWHERE = {"rude"}
"""Checks that are shown to fail in `test_kit_processes.py`, on modules that are imported by another process only."""


def test_the_table_is_closed() -> None:
    """A check that nothing shows to fail is none."""
    assert set(FAULTS) == set(RULE_CHECKS)
    assert {code for code, cases in FAULTS.items() if not cases} == ELSEWHERE


@pytest.mark.parametrize(("code", "name"), CASES)
def test_a_fault_is_found(code: str, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Laws 3 to 10 as a plugin author meets them: what the kernel cannot refuse, the kit finds, and says whose it is."""
    monkeypatch.setattr(watching, "HOOK_SECONDS", 1)
    report = FAULTS[code][name]()
    found = [finding for finding in report.findings if finding.code == code]
    assert found, f"found only {report}"
    assert all(finding.plugin and finding.hook and finding.text for finding in found)
    assert RULE_CHECKS[code].remedy in str(report)
    with pytest.raises(AssertionError, match=code):
        report.assert_clean()


def test_nothing_is_found_where_nothing_is_wrong() -> None:
    report = check_rules(Sound)
    report.assert_clean()
    assert (report.plugin, report.fights) == ("sound", 6)
    assert report.events > 500
    check_house_rule(Bless, over=Sound, **FEW, processes=False).assert_clean()
