#!/usr/bin/env node
// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// The npm package solc with the command line of the native compiler, as far as forge uses it: no
// compiler is fetched from anywhere else.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const solc = createRequire(import.meta.url)('solc');
if (process.argv.includes('--version')) {
  console.log('solc, the solidity compiler commandline interface');
  console.log(`Version: ${solc.version().replace('.Emscripten.clang', '.Linux.g++')}`);
} else {
  process.stdout.write(solc.compile(readFileSync(0, 'utf8')));
}
