// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// Plots as SVG, to stand inside an HTML page: no scripts, no fonts, nothing from elsewhere. Text is
// escaped here.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace heddle::node::benchmark {

/// For text and attribute values of HTML. Bytes that no text has (control characters) are left out.
[[nodiscard]] std::string escape_html(std::string_view text);

struct PlotLine {
    std::string name;
    std::vector<std::pair<double, double>> points;  // ascending by x
    bool is_dashed = false;
    bool has_markers_only = false;
    unsigned colour = 0;  // of a palette, around
};

struct Plot {
    std::string title;
    std::string x_label;
    std::string y_label;
    std::vector<PlotLine> lines;
    bool has_log_x = false;
    bool has_log_y = false;  // else from zero
    /// Where the x axis has marks, ascending, from end to end; empty: at round values.
    std::vector<double> x_marks{};
};
/// Points that are not finite, or not positive on a logarithmic axis, are left out. Hovering over a
/// point shows its values.
[[nodiscard]] std::string draw(const Plot& plot);

struct StackedBar {
    std::string name;
    std::vector<double> parts;
};
struct BarPlot {
    std::string title;
    std::string unit;
    std::vector<std::string> parts;  // names
    std::vector<StackedBar> bars;
};
[[nodiscard]] std::string draw(const BarPlot& plot);

}  // namespace heddle::node::benchmark
