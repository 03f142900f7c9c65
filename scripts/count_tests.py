#!/usr/bin/env python3
# Heddle: a smart-contract execution engine.
# Copyright 2026 The heddle Authors
# SPDX-License-Identifier: Apache-2.0
"""count_tests.py REPORT CTEST_STATUS [SECOND_REPORT]

Reads ctest's JUnit report, names what failed or was skipped, and prints "N passed, N failed" last.
A test that could not be run counts as failed: a missing test must never look like a passing one.
SECOND_REPORT, where there is one, is of those that failed and were run again alone: what passed
then counts as passed and is named as unsteady.
"""

import argparse
import sys
import xml.etree.ElementTree as ElementTree


def passed_alone(report: str, failed: list[str]) -> list[str]:
    """Those of the failed that a second report has as passed."""
    try:
        cases = list(ElementTree.parse(report).getroot().iter("testcase"))
    except (OSError, ElementTree.ParseError):
        return []
    passed = {case.get("name") for case in cases if case.get("status") == "run"}
    return [name for name in failed if name in passed]


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("report")
    parser.add_argument("ctest_status", type=int)
    parser.add_argument("second_report", nargs="?")
    given = parser.parse_args()
    report, ctest_status = given.report, given.ctest_status
    passed, failed, skipped = 0, [], []
    try:
        cases = ElementTree.parse(report).getroot().iter("testcase")
    except (OSError, ElementTree.ParseError) as error:
        print(f"no readable test report: {error}")
        print("0 passed, 1 failed")
        return 1
    for case in cases:
        name, status = case.get("name"), case.get("status")
        message = next((e.get("message") or "" for e in case.iter("skipped")), "")
        if status == "run":
            passed += 1
        elif status in ("notrun", "disabled") and ("SKIP" in message or status == "disabled"):
            skipped.append(name)
        else:
            failed.append(name)

    unsteady = passed_alone(given.second_report, failed) if given.second_report else []
    if unsteady:
        failed = [name for name in failed if name not in unsteady]
        passed += len(unsteady)
        # What ctest complained of are these, unless others are left.
        ctest_status = ctest_status if failed else 0

    for name in skipped:
        print(f"skipped: {name}")
    for name in unsteady:
        print(f"unsteady: {name} failed beside others and passed alone")
    for name in failed:
        print(f"failed: {name}")
    if not failed and (ctest_status != 0 or passed == 0):
        print(f"ctest ended with status {ctest_status} after {passed} passing tests")
        failed.append("ctest")
    print(f"{passed} passed, {len(failed)} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
