#!/usr/bin/env python3
# Heddle: a smart-contract execution engine.
# Copyright 2026 The heddle Authors
# SPDX-License-Identifier: Apache-2.0
"""self_test.py: plants one violation at a time in a small tree and expects the check to find it.

A style check that finds nothing looks the same as one that looks at nothing.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
HEAD = ("// Heddle: a smart-contract execution engine.\n// Copyright 2026 The heddle Authors\n"
        "// SPDX-License-Identifier: Apache-2.0\n")
HEADER = HEAD + "//\n// What it is for.\n#pragma once\n"
SCRIPT = "#!/usr/bin/env bash\n" + HEAD.replace("//", "#")

# A table whose elements are not zero by default, made by a constant expression.
TABLE = HEAD + ("struct Price {{ int gas = {default}; }};\nconstexpr int f() {{\n"
                "    std::array<Price, 8> t{{}};\n    {line}\n    t[3].gas = 5;\n    return 0;\n"
                "}}\n")

# check, file, text, expected words (None: must pass)
CASES = [
    ("mutants", "tests/mutants/mutants.toml",
     '[[mutant]]\nname = "a"\nfile = "vm/src/a.cpp"\nold = "x"\nnew = "y"\ntests = []\n',
     "stands 0 times"),
    ("layering", "vm/src/a.cpp", HEAD + "#include <types/hash.hpp>\n", None),
    ("layering", "vm/src/a.cpp", HEAD + "#include <thread>\n", "must not include <thread>"),
    ("layering", "vm/src/a.cpp", HEAD + "#ifdef X\n# include <ledger/l.hpp>\n#endif\n", "ledger"),
    ("layering", "ledger/src/a.cpp", HEAD + "#include <vm/evm.hpp>\n", "must not include <vm"),
    ("layering", "ledger/src/a.cpp", HEAD + "#include <rocksdb/db.h>\n", "rocks_*"),
    ("layering", "node/src/program/a.cpp", HEAD + "#include <CLI/CLI.hpp>\n", "command_line.cpp"),
    ("layering", "executor/src/a.cpp", HEAD + "#include <vm/evm.hpp>\n", None),
    ("layering", "executor/include/executor/a.hpp", HEADER + "#include <vm/evm.hpp>\n", "public"),
    ("layering", "consensus-adapter/src/a.cpp", HEAD + "#include <vm/evm.hpp>\n", "must not"),
    ("layering", "vm/types/src/a.cpp", HEAD + "#include <vm/evm.hpp>\n", "must not"),
    ("layering", "executor/src/a.cpp", HEAD + '#include "../b.hpp"\n', "no \"..\""),
    ("layering", "executor/src/a.cpp", HEAD + '#include "b.hpp"\n', "no private header"),
    ("layering", "executor/src/a.cpp", HEAD + "#include <node/b.hpp>\n", "must not include <node"),
    ("layering", "node/src/mempool/a.hpp", HEADER + '#include "mempool/a.hpp"\n', None),
    ("layering", "node/src/mempool/a.hpp", HEADER + '#include "rpc/queries/b.hpp"\n', "not below"),
    ("layering", "node/src/mempool/a.hpp", HEADER + '#include "shed/b.hpp"\n', "has no floor"),
    ("layering", "executor/src/stream/a.cpp", HEAD + '#include "dag/b.hpp"\n', "not below"),
    ("layering", "executor/src/early/a.cpp", HEAD + '#include "late/b.hpp"\n', "not below"),
    ("layering", "executor/src/dag/a.cpp", HEAD + '#include "early/b.hpp"\n', "not below"),
    ("layering", "executor/src/early/a.cpp", HEAD + '#include "dag/b.hpp"\n', "no private"),
    ("layering", "executor/src/stream/a.cpp", HEAD + '#include "b.hpp"\n', "not below"),
    ("layering", "executor/src/state/a.cpp", HEAD + '#include "scheduler.hpp"\n', "not below"),
    ("layering", "executor/src/dag/a.cpp", HEAD + '#include "scheduler.hpp"\n', "no private"),
    ("layering", "library/src/a.cpp", HEAD + "#include <ledger/l.hpp>\n", "must not"),
    ("layering", "library/src/a.cpp", HEAD + '#include "chain/chain.hpp"\n', "no private header"),
    ("tidy", "vm/src/a.cpp", HEAD + "int a;  // throw\n", None),
    ("tidy", "vm/src/a.cpp", HEAD + 'const char* a = "throw";\n', None),
    ("tidy", "vm/src/a.cpp", "int a;\n", "file head"),
    ("tidy", "vm/src/a.cpp", HEAD + "int a;" + "\n" * 500, "the limit is 500"),
    ("tidy", "vm/src/a.cpp", HEAD + "\tint a;\n", "tab"),
    ("tidy", "vm/src/a.cpp", HEAD + "int a; \n", "trailing space"),
    ("tidy", "vm/src/a.cpp", HEAD + "int a;", "no newline"),
    ("tidy", "vm/src/a.cpp", HEAD + "// " + "x" * 100 + "\n", "103 columns"),
    ("tidy", "vm/CMakeLists.txt", HEAD.replace("//", "#") + "# " + "x" * 99 + "\n", "101 columns"),
    ("tidy", "vm/src/a.cpp", HEAD + "// TO" + "DO: later\n", "names its issue"),
    ("tidy", "vm/src/a.cpp", HEAD + "// TO" + "DO(#12): later\n", None),
    ("tidy", "vm/src/a.cpp", HEAD + "void f() { throw 1; }\n", "no exceptions"),
    ("tidy", "ledger/src/a.cpp", HEAD + "double a;\n", "floating point"),
    ("tidy", "node/src/a.cpp", HEAD + "#if 0\n#endif\n", "no dead code"),
    ("tidy", "node/src/a.cpp", HEAD + "auto a = std::thread::hardware_concurrency();\n",
     "processor_count"),
    ("tidy", "node/src/a.cpp", HEAD + "/** Old. */\n", "///"),
    ("tidy", "vm/src/a.hpp", HEAD + "\nint a;\n", "pragma once"),
    ("tidy", "vm/src/a.hpp", HEADER + "using namespace std;\n", "using namespace"),
    ("tidy", "scripts/a.sh", SCRIPT + "set -euo pipefail\nrm -rf a\n", "help.sh"),
    ("tidy", "scripts/a.sh", SCRIPT + 'set -euo pipefail\nsource "$(dirname "$0")/help.sh"\n',
     None),
    ("constants", "vm/src/a.cpp", TABLE.format(default="-1", line=""), "zeros into t"),
    ("constants", "vm/src/a.cpp", TABLE.format(default="0", line=""), None),
    ("constants", "vm/src/a.cpp", TABLE.format(default="-1", line="t.fill({});"), None),
    ("constants", "vm/src/a.cpp", TABLE.format(
        default="-1", line="for (int i = 0; i < 8; ++i)\n        t[i] = Price{i};"), None),
    ("constants", "vm/src/a.cpp", HEAD + "struct Price {\n    int gas = -1;\n};\n"
     "struct Table {\n    Price prices[8];\n};\nconstexpr Table kTable = [] {\n"
     "    Table table;\n    table.prices[3] = {5};\n    return table;\n}();\n",
     "zeros into table.prices"),
    ("sources", "vm/src/a.cpp", HEAD, "not in"),
    ("sources", "tests/support/other.hpp", HEADER, "has the name of"),
    ("docs", "docs/a.md", "[b](b.md)\n", "link to nothing"),
    ("docs", "docs/a.md", "[b](a.md#c)\n\n# b\n", "no such heading"),
    ("docs", "docs/a.md", "[b](a.md#b-c)\n\n# B c\n", None),
    ("docs", "docs/a.md", "Call `make nothing`.\n", "no make target"),
    ("docs", "docs/a.md", "See `vm/src/gone.cpp`.\n", "no file"),
    ("docs", "docs/glossary.md", "| a | `b` | [c](glossary.md#d) |\n\n# d\n", None),
    ("docs", "docs/glossary.md", "| `b` | [c](../other.md) |\n", "does not contain b"),
    ("docs", "vm/types/include/types/fork.hpp", 'Fork{"Nowhere", "London", Revision::nowhere,',
     "no row for the fork Nowhere"),
    ("docs", "vm/include/vm/evm.hpp", HEADER, "does not name evm.hpp"),
    ("docs", "docs/adr/0001-record.md", "# 1\n", "does not name (0001-record.md)"),
    ("docs", "tests/crash/a.cpp", HEAD, "does not name `crash`"),
    ("docs", "node/src/service/a.cpp", 'x("heddle_rpc_new_total");', "no page explains"),
    ("docs", "README.md", "x\n" * 151, "longer than 150"),
    ("units", "node/install/a.service.in", "[Service]\nExecStart=/bin/true\n", "lacks UMask"),
]


def main() -> int:
    failed = 0
    for check, name, text, expected in CASES:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
            Path(folder, "other.md").write_text("# Other\n", encoding="utf-8")
            if check == "sources":
                for planted in ("vm/CMakeLists.txt", "bench/support/other.hpp"):
                    Path(folder, planted).parent.mkdir(parents=True, exist_ok=True)
                    Path(folder, planted).write_text("# nothing\n", encoding="utf-8")
            result = subprocess.run([sys.executable, str(HERE / f"{check}.py"), folder],
                                    capture_output=True, text=True, check=False)
        found = result.returncode != 0 and expected is not None and expected in result.stdout
        clean = result.returncode == 0 and expected is None
        if not (found or clean):
            failed += 1
            print(f"{check} on {name} {text!r}: expected {expected!r}, got {result.returncode}\n"
                  f"{result.stdout}{result.stderr}")
    print(f"{len(CASES)} cases, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
