// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0

//! revm-blocks [--blooms|--leaves] FOLDER: runs the blocks of a folder, each when it is asked for.
//! One line of standard input asks, one line of standard output answers; bench/rivals/blocks.py has
//! the protocol.

mod engine;
mod witness;

use std::{
    collections::BTreeMap,
    io::{BufRead, Write},
    path::PathBuf,
    process::ExitCode,
};

use engine::{Engine, Run, Work};
use witness::Witness;

// Heddle's program has the same one.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

struct Bench {
    witnesses: BTreeMap<u64, Witness>,
    work: Work,
    engine: Option<(u64, Engine)>,
}

impl Bench {
    fn load(folder: &str, work: Work) -> Result<Self, String> {
        let mut witnesses = BTreeMap::new();
        let mut folders = vec![PathBuf::from(folder)];
        while let Some(folder) = folders.pop() {
            let fail = |error: std::io::Error| format!("{}: {error}", folder.display());
            for entry in std::fs::read_dir(&folder).map_err(fail)? {
                let path = entry.map_err(fail)?.path();
                if path.is_dir() {
                    folders.push(path);
                } else if path
                    .extension()
                    .is_some_and(|extension| extension == "json")
                {
                    let witness = witness::load(&path)?;
                    witnesses.insert(witness.header.number, witness);
                }
            }
        }
        Ok(Self {
            witnesses,
            work,
            engine: None,
        })
    }

    /// A new engine, no code analysed.
    fn first(&mut self, number: u64) -> Result<Run, String> {
        if let Some((before, engine)) = self.engine.take() {
            self.witnesses.get_mut(&before).expect("it was run").state = engine.into_state();
        }
        let witness = self
            .witnesses
            .get_mut(&number)
            .ok_or(format!("no block {number}"))?;
        let state = std::mem::take(&mut witness.state);
        let mut engine = Engine::new(&witness.header, state, self.work)?;
        let run = engine.run(witness)?;
        engine.attach_codes();
        self.engine = Some((number, engine));
        Ok(run)
    }

    /// The same engine once more.
    fn again(&mut self) -> Result<Run, String> {
        let (number, engine) = self.engine.as_mut().ok_or("nothing was run")?;
        engine.run(&self.witnesses[number])
    }

    /// "first NUMBER" or "again COUNT": gas used, and nanoseconds of each run.
    fn answer(&mut self, line: &str) -> Result<String, String> {
        let (what, argument) = line.split_once(' ').ok_or("two words are wanted")?;
        let number: u64 = argument
            .parse()
            .map_err(|_| format!("no number: {argument}"))?;
        let runs = match what {
            "first" => vec![self.first(number)?],
            "again" => (0..number)
                .map(|_| self.again())
                .collect::<Result<Vec<_>, _>>()?,
            _ => return Err(format!("no such question: {what}")),
        };
        let mut text = runs.first().map_or(0, |run| run.gas_used).to_string();
        for run in runs {
            text += &format!(" {}", run.nanoseconds);
        }
        Ok(text)
    }
}

fn serve() -> Result<(), String> {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let work = match arguments.first().map(String::as_str) {
        Some("--blooms") => Work::Blooms,
        Some("--leaves") => Work::Leaves,
        _ => Work::Execution,
    };
    if work != Work::Execution {
        arguments.remove(0);
    }
    let [folder] = arguments.as_slice() else {
        return Err("usage: revm-blocks [--blooms|--leaves] FOLDER".into());
    };
    let mut bench = Bench::load(folder, work)?;
    let mut output = std::io::stdout();
    let numbers: Vec<String> = bench.witnesses.keys().map(u64::to_string).collect();
    let mut say = |text: &str| {
        writeln!(output, "{text}")
            .and_then(|()| output.flush())
            .map_err(|error| error.to_string())
    };
    say(&format!("blocks {}", numbers.join(" ")))?;
    for line in std::io::stdin().lock().lines() {
        let line = line.map_err(|error| error.to_string())?;
        say(&bench.answer(line.trim())?)?;
    }
    Ok(())
}

fn main() -> ExitCode {
    match serve() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("revm-blocks: {error}");
            ExitCode::FAILURE
        }
    }
}
