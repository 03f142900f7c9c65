// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "table.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <fstream>

#include <types/assert.hpp>

namespace heddle::bench {
namespace {

void write_file(const std::string& file, const std::string& text) {
    std::ofstream stream(file, std::ios::trunc);
    stream << text;
    stream.close();
    if (stream.good()) return;
    std::fprintf(stderr, "%s: cannot be written\n", file.c_str());
    std::exit(1);
}

std::string quote(const std::string& text) {
    std::string quoted = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') quoted += '\\';
        quoted += c;
    }
    return quoted + '"';
}

}  // namespace

Table::Table(std::string title, std::vector<Column> columns)
    : title_(std::move(title)), columns_(std::move(columns)) {
    std::printf("\n%s\n", title_.c_str());
    for (const Column& column : columns_) {
        widths_.push_back(std::max<std::size_t>(column.name.size(), column.decimals < 0 ? 14 : 8));
        std::printf("%*s ",
                    static_cast<int>(column.decimals < 0 ? 0 - widths_.back() : widths_.back()),
                    column.name.c_str());
    }
    std::printf("\n");
    std::fflush(stdout);
}

std::string Table::show(const Cell& cell, const Column& column) const {
    if (column.decimals < 0) return cell.text;
    std::array<char, 64> text{};
    std::snprintf(text.data(), text.size(), "%.*f", column.decimals, cell.number);
    return text.data();
}

void Table::add(Row row) {
    HEDDLE_ASSERT(row.size() == columns_.size());
    for (std::size_t i = 0; i < row.size(); ++i) {
        const int width = static_cast<int>(widths_[i]);
        std::printf("%*s ", columns_[i].decimals < 0 ? -width : width,
                    show(row[i], columns_[i]).c_str());
    }
    std::printf("\n");
    std::fflush(stdout);
    rows_.push_back(std::move(row));
}

void Table::write_csv(const std::string& file) const {
    std::string text;
    for (std::size_t i = 0; i < columns_.size(); ++i)
        text += (i == 0 ? "" : ",") + columns_[i].name;
    text += '\n';
    for (const Row& row : rows_) {
        for (std::size_t i = 0; i < row.size(); ++i)
            text += (i == 0 ? "" : ",") + show(row[i], columns_[i]);
        text += '\n';
    }
    write_file(file, text);
}

Table& Tables::add(std::string title, std::vector<Table::Column> columns) {
    return *tables_.emplace_back(std::make_unique<Table>(std::move(title), std::move(columns)));
}

void Tables::write_json(const std::string& file) const {
    if (file.empty()) return;
    std::string text = "{\n";
    for (const auto& table : tables_) {
        text += (table == tables_.front() ? " " : ",\n ") + quote(table->title_) + ": [";
        for (std::size_t r = 0; r < table->rows_.size(); ++r) {
            text += r == 0 ? "\n  {" : ",\n  {";
            for (std::size_t i = 0; i < table->columns_.size(); ++i) {
                const std::string value = table->show(table->rows_[r][i], table->columns_[i]);
                text += (i == 0 ? "" : ", ") + quote(table->columns_[i].name) + ": " +
                        (table->columns_[i].decimals < 0 ? quote(value) : value);
            }
            text += '}';
        }
        text += ']';
    }
    write_file(file, text + "\n}\n");
}

}  // namespace heddle::bench
