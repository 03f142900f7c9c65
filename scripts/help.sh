#!/usr/bin/env bash
# Heddle: a smart-contract execution engine.
# Copyright 2026 The heddle Authors
# SPDX-License-Identifier: Apache-2.0
#
# Sourced by other scripts before they do anything, with their arguments or some of them: where one
# of these asks for help, prints what stands at the head of the script, and ends it.
for argument in "$@"; do
    [[ $argument != -- ]] || break
    if [[ $argument == -h || $argument == --help ]]; then
        # The lines behind the licence, as far as they are comments.
        awk 'NR > 5 && !/^#/ {exit} NR > 5 {sub(/^# ?/, ""); print}' "$0"
        exit 0
    fi
done
unset argument
