// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Compiles node/workload/contracts/*.sol and writes what the program and its tests use:
//   node/workload/contracts/compiled.json   ABI, code, selectors and storage layout, for readers
//   node/workload/include/workload/bytecode.hpp, node/workload/src/*bytecode.cpp   the same as C++
//
//   node scripts/compile-contracts.mjs            compile and write
//   node scripts/compile-contracts.mjs --check    compile and compare; exit 1 where they differ,
//                                                 77 (skipped) where there is no compiler
//
// The compiler is the npm package `solc` of exactly the version below. It is looked for in
// HEDDLE_SOLC_DIR (a folder with node_modules/solc), then in build/solc; writing installs it into
// build/solc when it is absent, checking does not. Neither paths nor the date reach the output.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, readdirSync, writeFileSync, mkdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const solcVersion = '0.8.30';
const skipped = 77;
const settings = {
  evmVersion: 'cancun',
  optimizer: { enabled: true, runs: 200 },
  metadata: { appendCBOR: false, bytecodeHash: 'none' },
};
// In the order in which they appear in the C++ source. Child is reached through Factory.
const contracts = ['Token', 'Pair', 'StorageHeavy', 'Factory', 'Collection', 'KeyValue', 'Tpcc',
                   'LinkedLists'];
const ofGenerator = 4;  // the first ones; the others are those of scenarios

const root = resolve(dirname(fileURLToPath(import.meta.url)), '..');
const workload = join(root, 'node', 'workload');
const check = process.argv.includes('--check');

function loadCompiler() {
  const local = join(root, 'build', 'solc');
  const folders = [process.env.HEDDLE_SOLC_DIR, local].filter(Boolean);
  let folder = folders.find((each) => existsSync(join(each, 'node_modules', 'solc')));
  if (!folder) {
    if (check) {
      console.log(`SKIPPED: no solc ${solcVersion} in HEDDLE_SOLC_DIR or build/solc`);
      process.exit(skipped);
    }
    mkdirSync(local, { recursive: true });
    execFileSync('npm', ['install', '--no-audit', '--no-fund', '--prefix', local,
                         `solc@${solcVersion}`], { stdio: ['ignore', 'inherit', 'inherit'] });
    folder = local;
  }
  const solc = createRequire(join(folder, 'index.js'))('solc');
  if (!solc.version().startsWith(`${solcVersion}+`)) {
    console.error(`solc in ${folder} is ${solc.version()}, wanted ${solcVersion}`);
    process.exit(2);
  }
  return solc;
}

function compile(solc) {
  const folder = join(workload, 'contracts');
  const names = readdirSync(folder).filter((name) => name.endsWith('.sol')).sort();
  const input = {
    language: 'Solidity',
    sources: Object.fromEntries(
      names.map((name) => [name, { content: readFileSync(join(folder, name), 'utf8') }])),
    settings: {
      ...settings,
      outputSelection: { '*': { '*': [
        'abi', 'evm.bytecode.object', 'evm.deployedBytecode.object',
        'evm.deployedBytecode.immutableReferences', 'evm.methodIdentifiers', 'storageLayout',
      ] } },
    },
  };
  const output = JSON.parse(solc.compile(JSON.stringify(input)));
  const problems = output.errors ?? [];
  problems.forEach((problem) => console.error(problem.formattedMessage));
  if (problems.length > 0) process.exit(2);

  return Object.fromEntries(contracts.map((name) => {
    const result = output.contracts[`${name}.sol`][name];
    // The genesis builder uses the runtime code as it is; immutables would have to be filled in.
    if (Object.keys(result.evm.deployedBytecode.immutableReferences ?? {}).length > 0) {
      throw new Error(`${name} has immutables`);
    }
    return [name, {
      abi: result.abi,
      bytecode: result.evm.bytecode.object,
      runtime: result.evm.deployedBytecode.object,
      selectors: result.evm.methodIdentifiers,
      storage: result.storageLayout.storage.map(({ label, slot, offset, type }) =>
        ({ label, slot: Number(slot), offset, type: type.replace(/\d+_storage/g, '_storage') })),
    }];
  }));
}

const capital = (name) => name[0].toUpperCase() + name.slice(1);
const snake = (name) => name.replace(/(?<!^)([A-Z])/g, '_$1').toLowerCase();
const notice = `// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
`;

function header(compiled) {
  const parts = contracts.map((name) => {
    const { selectors, storage } = compiled[name];
    const lines = [`extern const CompiledContract k${name};`, `namespace ${snake(name)} {`];
    for (const [signature, selector] of Object.entries(selectors)) {
      const method = capital(signature.slice(0, signature.indexOf('(')));
      const line = `inline constexpr std::uint32_t k${method} = 0x${selector};`;
      const fits = line.length + signature.length + 5 <= 100;
      lines.push(fits ? `${line}  // ${signature}` : `// ${signature}\n${line}`);
    }
    for (const { label, slot, offset } of storage) {
      const where = offset > 0 ? `  // from byte ${offset}` : '';
      lines.push(`inline constexpr std::uint64_t k${capital(label)}Slot = ${slot};${where}`);
    }
    lines.push(`}  // namespace ${snake(name)}`);
    return lines.join('\n');
  });
  return `${notice}// The contracts of the workloads: code, method selectors, storage slots. Generated by
// scripts/compile-contracts.mjs from contracts/*.sol; not to be edited.
#pragma once

#include <cstdint>
#include <string_view>

// clang-format off
namespace heddle::workload {

struct CompiledContract {
    std::string_view name;
    std::string_view creation_hex;  // constructor arguments are appended to it
    std::string_view runtime_hex;
};

${parts.join('\n\n')}

}  // namespace heddle::workload
// clang-format on
`;
}

function literal(hex) {
  const lines = hex.match(/.{1,92}/g).map((line) => `    "${line}"`);
  return lines.join('\n');
}

function source(compiled, version, names) {
  const parts = names.map((name) => `constinit const CompiledContract k${name}{
    "${name}",
${literal(compiled[name].bytecode)},
${literal(compiled[name].runtime)},
};`);
  return `${notice}// Generated by scripts/compile-contracts.mjs from contracts/*.sol; not to be edited.
// solc ${version}, ${settings.evmVersion}, optimizer runs ${settings.optimizer.runs}.
#include <workload/bytecode.hpp>

// clang-format off
namespace heddle::workload {

${parts.join('\n\n')}

}  // namespace heddle::workload
// clang-format on
`;
}

const solc = loadCompiler();
// The build target of the compiler (a JavaScript or native one) is not part of what matters.
const version = solc.version().replace(/\.Emscripten.*$/, '');
const compiled = compile(solc);
const outputs = {
  'contracts/compiled.json':
    JSON.stringify({ compiler: version, settings, contracts: compiled }, null, 1) + '\n',
  'include/workload/bytecode.hpp': header(compiled),
  'src/bytecode.cpp': source(compiled, version, contracts.slice(0, ofGenerator)),
  'src/scenario_bytecode.cpp': source(compiled, version, contracts.slice(ofGenerator)),
};

let differing = 0;
for (const [name, text] of Object.entries(outputs)) {
  const path = join(workload, name);
  if (existsSync(path) && readFileSync(path, 'utf8') === text) continue;
  if (check) {
    console.error(`${name} is not what its sources compile to: run scripts/compile-contracts.mjs`);
    ++differing;
  } else {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    console.log(`wrote node/workload/${name}`);
  }
}
if (check && differing === 0) console.log('committed bytecode is what the sources compile to');
process.exit(differing === 0 ? 0 : 1);
