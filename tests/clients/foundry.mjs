// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The programs of foundry, as their npm packages bring them.
import { execFile } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

const packages = process.env.HEDDLE_CLIENT_PACKAGES;

function find(tool) {
  const scope = join(packages, '@foundry-rs');
  const folders = readdirSync(scope).filter((name) => name.startsWith(`${tool}-`));
  const program = folders.map((name) => join(scope, name, 'bin', tool)).find(existsSync);
  if (!program) throw new Error(`there is no ${tool} for this machine in ${scope}`);
  return program;
}

/** A function that runs `tool` and gives what it prints; a failure throws with `stderr`. */
export function program(tool) {
  const path = find(tool);
  return async (...args) => {
    const { stdout } = await promisify(execFile)(path, args, { maxBuffer: 1 << 26 });
    return stdout.trim();
  };
}

/** What a program said when it failed, without what differs from run to run. */
export function complaint(error) {
  const lines = (error.stderr ?? error.message).split('\n').map((line) => line.trim());
  return lines.filter((line) => line !== '' && !/warning/i.test(line)).join(' | ');
}
