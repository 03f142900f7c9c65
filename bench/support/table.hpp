// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Results in rows and columns: shown as they come, then written as CSV and JSON.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace heddle::bench {

class Table {
public:
    struct Column {
        std::string name;   // also the key in the files
        int decimals = -1;  // -1: text
    };
    /// Text or a number, as its column says.
    struct Cell {
        Cell(std::string value) : text(std::move(value)) {}  // NOLINT(google-explicit-constructor)
        Cell(const char* value) : text(value) {}             // NOLINT(google-explicit-constructor)
        Cell(double value) : number(value) {}                // NOLINT(google-explicit-constructor)

        std::string text;
        double number = 0;
    };
    using Row = std::vector<Cell>;

    /// @param title  Says what is measured; heads the printed table.
    Table(std::string title, std::vector<Column> columns);

    /// Prints the row at once. As many cells as there are columns.
    void add(Row row);

    /// The rows so far. Errors: the program ends with status 1 when the file cannot be written.
    void write_csv(const std::string& file) const;

private:
    friend class Tables;
    [[nodiscard]] std::string show(const Cell& cell, const Column& column) const;

    std::string title_;
    std::vector<Column> columns_;
    std::vector<std::size_t> widths_;
    std::vector<Row> rows_;
};

/// The tables of one program.
class Tables {
public:
    /// Good as long as this object.
    Table& add(std::string title, std::vector<Table::Column> columns);
    /// All in one JSON object by title; an empty name: nothing. Errors: as Table::write_csv().
    void write_json(const std::string& file) const;

private:
    std::vector<std::unique_ptr<Table>> tables_;
};

}  // namespace heddle::bench
