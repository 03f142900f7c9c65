// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
#include "benchmark/svg_plot.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <utility>

#include <fmt/format.h>

namespace heddle::node::benchmark {
namespace {

// In the units of the picture.
constexpr double kWidth = 640;
constexpr double kHeight = 300;
constexpr double kLeft = 64;
constexpr double kRight = 14;
constexpr double kTop = 30;
constexpr double kBottom = 44;
constexpr double kLegendLine = 17;
constexpr double kBarHeight = 22;
constexpr double kBarNames = 230;

// Okabe and Ito's, which readers who see colours differently can tell apart.
constexpr std::array<std::string_view, 8> kPalette = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                                      "#e69f00", "#56b4e9", "#7f7f7f", "#b3a000"};

std::string_view colour_of(unsigned number) {
    return kPalette[number % kPalette.size()];
}

/// One axis: from values to the unit interval, and where its marks are.
class Axis {
public:
    Axis(double least, double most, bool is_log) : is_log_(is_log) {
        if (is_log_) {
            least_ = std::floor(std::log10(least) + 1e-9);
            most_ = std::max(std::ceil(std::log10(most) - 1e-9), least_ + 1);
            const auto powers = static_cast<int>(most_ - least_);
            for (int i = 0; i <= powers; ++i)
                marks_.push_back(std::pow(10, least_ + i));
            return;
        }
        const double span = most > least ? most - least : std::max(std::abs(most), 1.0);
        double step = std::pow(10, std::floor(std::log10(span / 5)));
        for (const double factor : {2.0, 2.5, 2.0})
            if (span / step > 6) step *= factor;
        least_ = std::floor(least / step) * step;
        most_ = std::ceil(std::max(most, least + step) / step) * step;
        const auto steps = static_cast<int>(std::lround((most_ - least_) / step));
        for (int i = 0; i <= steps; ++i)
            marks_.push_back(least_ + i * step);
    }

    /// From the first of the marks to the last.
    Axis(std::vector<double> marks, bool is_log) : is_log_(is_log), marks_(std::move(marks)) {
        least_ = is_log_ ? std::log10(marks_.front()) : marks_.front();
        most_ = is_log_ ? std::log10(marks_.back()) : marks_.back();
        if (most_ > least_) return;
        least_ -= 1;
        most_ += 1;
    }

    [[nodiscard]] double place(double value) const {
        return ((is_log_ ? std::log10(value) : value) - least_) / (most_ - least_);
    }
    [[nodiscard]] const std::vector<double>& marks() const noexcept { return marks_; }

private:
    bool is_log_;
    double least_ = 0;
    double most_ = 1;
    std::vector<double> marks_;
};

/// `1.5k`, `20M`: short and without an exponent.
std::string show(double value) {
    const double size = std::abs(value);
    if (size >= 1e9) return fmt::format("{:g}G", value / 1e9);
    if (size >= 1e6) return fmt::format("{:g}M", value / 1e6);
    if (size >= 1e4) return fmt::format("{:g}k", value / 1e3);
    if (size < 1e-9) return "0";
    return fmt::format("{:.4g}", value);
}

bool is_drawable(const Plot& plot, const std::pair<double, double>& point) {
    return std::isfinite(point.first) && std::isfinite(point.second) &&
           (!plot.has_log_x || point.first > 0) && (!plot.has_log_y || point.second > 0);
}

struct Range {
    double least = INFINITY;
    double most = -INFINITY;
    void add(double value) {
        least = std::min(least, value);
        most = std::max(most, value);
    }
};

void append_text(std::string& out, double x, double y, std::string_view anchor,
                 std::string_view text) {
    fmt::format_to(std::back_inserter(out),
                   R"(<text x="{:.1f}" y="{:.1f}" text-anchor="{}">{}</text>)", x, y, anchor,
                   escape_html(text));
}

void append_rule(std::string& out, double x1, double y1, double x2, double y2) {
    fmt::format_to(std::back_inserter(out),
                   R"(<line class="rule" x1="{:.1f}" y1="{:.1f}" x2="{:.1f}" y2="{:.1f}"/>)", x1,
                   y1, x2, y2);
}

double x_of(const Axis& axis, double value) {
    return kLeft + axis.place(value) * (kWidth - kLeft - kRight);
}
double y_of(const Axis& axis, double value) {
    return kHeight - kBottom - axis.place(value) * (kHeight - kTop - kBottom);
}

void append_axes(std::string& out, const Plot& plot, const Axis& x, const Axis& y) {
    for (const double mark : y.marks()) {
        append_rule(out, kLeft, y_of(y, mark), kWidth - kRight, y_of(y, mark));
        append_text(out, kLeft - 6, y_of(y, mark) + 4, "end", show(mark));
    }
    for (const double mark : x.marks())
        append_text(out, x_of(x, mark), kHeight - kBottom + 16, "middle", show(mark));
    append_text(out, (kLeft + kWidth) / 2, kHeight - 8, "middle", plot.x_label);
    append_text(out, 4, kTop - 12, "start", plot.y_label);
}

void append_line(std::string& out, const Plot& plot, const PlotLine& line, const Axis& x,
                 const Axis& y) {
    const std::string_view colour = colour_of(line.colour);
    std::string path;
    std::string markers;
    for (const auto& point : line.points) {
        if (!is_drawable(plot, point)) continue;
        const double at_x = x_of(x, point.first);
        const double at_y = y_of(y, point.second);
        fmt::format_to(std::back_inserter(path), "{}{:.1f},{:.1f}", path.empty() ? "" : " ", at_x,
                       at_y);
        fmt::format_to(std::back_inserter(markers),
                       R"(<circle cx="{:.1f}" cy="{:.1f}" r="3" fill="{}"><title>{}: {} = {}, )"
                       R"({} = {}</title></circle>)",
                       at_x, at_y, colour, escape_html(line.name), escape_html(plot.x_label),
                       show(point.first), escape_html(plot.y_label), show(point.second));
    }
    if (!line.has_markers_only)
        fmt::format_to(std::back_inserter(out),
                       R"(<polyline points="{}" fill="none" stroke="{}" stroke-width="2"{}/>)",
                       path, colour, line.is_dashed ? R"( stroke-dasharray="6 4")" : "");
    out += markers;
}

void append_key(std::string& out, double y, unsigned colour, std::string_view name,
                bool is_dashed) {
    fmt::format_to(
        std::back_inserter(out),
        R"(<line x1="{:.1f}" y1="{:.1f}" x2="{:.1f}" y2="{:.1f}" stroke="{}" stroke-width="3"{}/>)",
        kLeft, y - 4, kLeft + 22, y - 4, colour_of(colour),
        is_dashed ? R"( stroke-dasharray="6 4")" : "");
    append_text(out, kLeft + 28, y, "start", name);
}

std::string begin_figure(std::string_view title, double height) {
    return fmt::format(
        "<figure><figcaption>{0}</figcaption>"
        R"(<svg viewBox="0 0 {1:.0f} {2:.0f}" role="img" aria-label="{0}">)",
        escape_html(title), kWidth, height);
}

}  // namespace

std::string escape_html(std::string_view text) {
    std::string out;
    out.reserve(text.size());
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (c == '&')
            out += "&amp;";
        else if (c == '<')
            out += "&lt;";
        else if (c == '>')
            out += "&gt;";
        else if (c == '"')
            out += "&quot;";
        else if (c == '\'')
            out += "&#39;";
        else if (byte >= 0x20 || c == '\n')
            out += c;
    }
    return out;
}

std::string draw(const Plot& plot) {
    Range xs;
    Range ys;
    if (!plot.has_log_y) ys.add(0);
    for (const PlotLine& line : plot.lines)
        for (const auto& point : line.points)
            if (is_drawable(plot, point)) {
                xs.add(point.first);
                ys.add(point.second);
            }
    if (!std::isfinite(xs.least)) return {};  // nothing to draw
    const Axis x = plot.x_marks.empty() ? Axis(xs.least, xs.most, plot.has_log_x)
                                        : Axis(plot.x_marks, plot.has_log_x);
    const Axis y(ys.least, ys.most, plot.has_log_y);
    const double height = kHeight + kLegendLine * static_cast<double>(plot.lines.size()) + 8;
    std::string out = begin_figure(plot.title, height);
    append_axes(out, plot, x, y);
    double key_y = kHeight + kLegendLine;
    for (const PlotLine& line : plot.lines) {
        append_line(out, plot, line, x, y);
        append_key(out, key_y, line.colour, line.name, line.is_dashed);
        key_y += kLegendLine;
    }
    return out + "</svg></figure>\n";
}

std::string draw(const BarPlot& plot) {
    double most = 0;
    for (const StackedBar& bar : plot.bars) {
        double sum = 0;
        for (const double part : bar.parts)
            sum += part;
        most = std::max(most, sum);
    }
    if (!(most > 0) || !std::isfinite(most)) return {};
    const double bars_end = kBarHeight * static_cast<double>(plot.bars.size());
    const double height = bars_end + kLegendLine * static_cast<double>(plot.parts.size()) + 16;
    std::string out = begin_figure(plot.title, height);
    double y = 0;
    for (const StackedBar& bar : plot.bars) {
        append_text(out, kBarNames - 6, y + 15, "end", bar.name);
        double x = kBarNames;
        double sum = 0;
        for (std::size_t i = 0; i < bar.parts.size(); ++i) {
            const double width = bar.parts[i] / most * (kWidth - kBarNames - 90);
            fmt::format_to(std::back_inserter(out),
                           R"(<rect x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}" )"
                           R"(fill="{}"><title>{}: {} {}</title></rect>)",
                           x, y + 3, width, kBarHeight - 6, colour_of(static_cast<unsigned>(i)),
                           escape_html(plot.parts[i]), show(bar.parts[i]), escape_html(plot.unit));
            x += width;
            sum += bar.parts[i];
        }
        append_text(out, x + 6, y + 15, "start", show(sum) + " " + plot.unit);
        y += kBarHeight;
    }
    for (std::size_t i = 0; i < plot.parts.size(); ++i)
        append_key(out, bars_end + kLegendLine * static_cast<double>(i + 1),
                   static_cast<unsigned>(i), plot.parts[i], false);
    return out + "</svg></figure>\n";
}

}  // namespace heddle::node::benchmark
