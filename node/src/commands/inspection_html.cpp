// Heddle: a smart-contract execution engine.
// Copyright 2026 The heddle Authors
// SPDX-License-Identifier: Apache-2.0
//
// A block as a page that explains at a glance: workers as lanes, time to the right, what waits for
// what because of whose objects. One file that needs no other one, and says so to the browser.

#include <algorithm>
#include <cstddef>
#include <map>
#include <span>
#include <string_view>

#include <fmt/format.h>

#include <types/counted.hpp>

#include "commands/inspection.hpp"
#include "commands/timeline.hpp"
#include "formats/json_writer.hpp"

namespace heddle::node {

namespace {

using executor::BlockGraph;
using executor::GraphEdge;

/// More lines nobody could tell apart; the nearest ones to the critical path stay.
constexpr std::size_t kMaxEdgesDrawn = 4'000;
constexpr std::size_t kMaxAccountsListed = 12;
/// Reasons to wait that the details of one transaction name.
constexpr std::size_t kMaxReasonsTold = 8;
/// Of accounts, dearest first; the others share the last one. Told apart by most who see colours
/// otherwise (Okabe and Ito).
constexpr std::string_view kColours[] = {"#d55e00", "#0072b2", "#009e73", "#cc79a7",
                                         "#e69f00", "#56b4e9", "#8c6bb1", "#9a9a9a"};

constexpr std::string_view kStyle = R"(
body{font:14px/1.45 system-ui,sans-serif;margin:24px auto;max-width:1260px;color:#1c2430}
h1{font-size:20px;margin:0 0 4px}h2{font-size:15px;margin:26px 0 8px}p{margin:4px 0;color:#4a5568}
svg{display:block;background:#f7f8fa;border:1px solid #dde2e8;overflow:visible}
.bar{fill:#9fb3c8;stroke:#fff;stroke-width:.4}.critical{fill:#e4572e}.bar:hover{fill:#243b53}
.edge{fill:none;stroke-width:1;opacity:.45}.path{stroke-width:2;opacity:.95}
.lost{fill:#fff;stroke:#9a9a9a;stroke-dasharray:2 2}.repaired{fill:#f2a541}.in-order{fill:#8c6bb1}
.dim .edge{opacity:.06}.dim .edge.on{opacity:1;stroke-width:2}
text{font:11px system-ui,sans-serif;fill:#4a5568}
table{border-collapse:collapse}th{font-weight:600;color:#4a5568}td.n,th.n{text-align:right}
td,th{padding:2px 14px 2px 0;text-align:left;font-variant-numeric:tabular-nums}
code{font:12px ui-monospace,monospace}
i{display:inline-block;width:11px;height:11px;border-radius:2px;margin-right:7px}
#tip{position:fixed;display:none;max-width:560px;padding:8px 11px;background:#1c2430;color:#fff;
font:12px/1.5 ui-monospace,monospace;white-space:pre-wrap;overflow-wrap:anywhere;
pointer-events:none;border-radius:4px}
)";

/// Shows details of what is pointed at. All that comes from the block is put in as text.
constexpr std::string_view kScript = R"(
const data=JSON.parse(document.getElementById('data').textContent);
const tip=document.getElementById('tip'),every=(s,f)=>document.querySelectorAll(s).forEach(f);
const lines=t=>{const x=data.transactions[t],l=['transaction '+t];
for(const k of ['hash','sender','to','cost'])if(x[k]!==undefined)l.push(k+'  '+x[k]);
for(const w of x.waits)l.push('waits for '+w);return l};
document.addEventListener('mousemove',e=>{
const b=e.target.closest('[data-t]'),s=e.target.closest('svg');
every('.dim',x=>x.classList.remove('dim'));every('.on',x=>x.classList.remove('on'));
if(!b||!s){tip.style.display='none';return}
const t=b.dataset.t,at=(p,size,room)=>Math.max(4,Math.min(p+14,room-size-8))+'px';
tip.textContent=lines(t).concat(b.dataset.span||[]).join('\n');
tip.style.display='block';
tip.style.left=at(e.clientX,tip.offsetWidth,innerWidth);
tip.style.top=at(e.clientY,tip.offsetHeight,innerHeight);
s.classList.add('dim');
s.querySelectorAll('[data-f="'+t+'"],[data-g="'+t+'"]').forEach(x=>x.classList.add('on'))});
)";

/// Numbers in groups of three.
std::string grouped(std::uint64_t value) {
    std::string text = std::to_string(value);
    for (std::size_t at = text.size(); at > 3;)
        text.insert(at -= 3, ",");
    return text;
}

class Page {
public:
    explicit Page(const Inspection& block)
        : block_(block), graph_(block.graph), accounts_(account_loads(block.graph)) {
        for (std::size_t i = 0; i < accounts_.size(); ++i)
            ranks_[accounts_[i].address] = std::min(i, std::size(kColours) - 1);
        is_critical_.resize(graph_.costs.size());
        for (const std::uint32_t transaction : graph_.critical_path)
            is_critical_[transaction] = true;
        std::vector<GraphEdge> others;
        for (const GraphEdge& edge : essential_edges(graph_))
            (is_path(edge) ? edges_ : others).push_back(edge);
        // Those of the critical path are never left out.
        const std::size_t count = std::min(others.size(), kMaxEdgesDrawn);
        left_out_ = others.size() - count;
        edges_.insert(edges_.end(), others.begin(),
                      others.begin() + static_cast<std::ptrdiff_t>(count));
    }

    std::string make(std::span<const Timeline> timelines) {
        text_ = fmt::format(
            "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
            "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
            "style-src 'unsafe-inline'; script-src 'unsafe-inline'\">\n"
            "<title>block {}</title>\n<style>{}</style></head><body>\n",
            block_.number, kStyle);
        add_head();
        for (const Timeline& timeline : timelines)
            add_timeline(timeline, common_end(timelines, timeline.unit));
        add_accounts();
        add_data();
        text_ +=
            fmt::format("<div id=\"tip\"></div>\n<script>{}</script>\n</body></html>\n", kScript);
        return std::move(text_);
    }

private:
    [[nodiscard]] std::string_view unit() const { return block_.is_gas ? "gas" : "transactions"; }
    [[nodiscard]] bool is_path(const GraphEdge& edge) const {
        if (!is_critical_[edge.from] || !is_critical_[edge.to]) return false;
        const auto place = std::ranges::lower_bound(graph_.critical_path, edge.from);
        return place + 1 != graph_.critical_path.end() && *(place + 1) == edge.to;
    }
    /// Of the dearest account among its causes.
    [[nodiscard]] std::string_view colour_of(const GraphEdge& edge) const {
        std::size_t rank = std::size(kColours) - 1;
        for (const std::uint32_t cause : graph_.causes_of(edge))
            rank = std::min(rank, ranks_.at(graph_.objects[cause].address));
        return kColours[rank];
    }

    void add_head() {
        const double share = graph_.total_cost == 0
                                 ? 0
                                 : 100 * static_cast<double>(graph_.critical_cost) /
                                       static_cast<double>(graph_.total_cost);
        text_ += fmt::format("<h1>Block {}</h1>\n<p><code>{}</code></p>\n", block_.number,
                             to_string(block_.hash));
        text_ += fmt::format(
            "<p>{}, {} {}. The critical path (red) is {} of them and {} {}, {:.1f} % "
            "of all: however many workers there are, it takes that long.</p>\n",
            counted(graph_.costs.size(), "transaction"), grouped(graph_.total_cost), unit(),
            graph_.critical_path.size(), grouped(graph_.critical_cost), unit(), share);
        text_ += fmt::format(
            "<p>A line leads from a transaction to one that waits for it, in the colour of the "
            "account whose objects are the reason. Dashed: an attempt for nothing; orange: run "
            "again at its turn; violet: run at its turn only. Left out: lines that follow from "
            "others{}. Point at a transaction for details.</p>\n",
            left_out_ == 0 ? "" : fmt::format(", and {} more", left_out_));
    }

    /// Times in one unit are drawn to one scale.
    static std::uint64_t common_end(std::span<const Timeline> timelines, std::string_view unit) {
        std::uint64_t end = 0;
        for (const Timeline& timeline : timelines)
            if (timeline.unit == unit) end = std::max(end, timeline.end);
        return end;
    }

    void add_timeline(const Timeline& timeline, std::uint64_t end) {
        text_ += fmt::format("<h2>{}</h2>\n", escape_html(timeline.title));
        const double height = timeline.lanes * kLaneHeight + 20;
        text_ += fmt::format(
            "<svg viewBox=\"-62 -8 {:.0f} {:.0f}\" width=\"100%\" role=\"img\" "
            "aria-label=\"schedule\">\n",
            kTimelineWidth + 74, height + 8);
        for (std::uint32_t lane = 0; lane < timeline.lanes; ++lane)
            text_ += fmt::format("<text x=\"-56\" y=\"{:.0f}\">worker {}</text>\n",
                                 lane * kLaneHeight + 14, lane + 1);
        if (end != 0) add_bars(timeline, end);
        text_ += fmt::format(
            "<text x=\"0\" y=\"{:.0f}\">0</text><text x=\"{:.0f}\" y=\"{:.0f}\" "
            "text-anchor=\"end\">{} {}</text>\n</svg>\n",
            height - 5, kTimelineWidth, height - 5, grouped(end), timeline.unit);
    }

    void add_bars(const Timeline& timeline, std::uint64_t end) {
        std::vector<const Bar*> last(graph_.costs.size(), nullptr);
        for (const Bar& bar : timeline.bars)
            if (bar.kind != Bar::Kind::lost) last[bar.transaction] = &bar;
        for (const GraphEdge& edge : edges_)
            if (last[edge.from] != nullptr && last[edge.to] != nullptr)
                add_edge(edge, *last[edge.from], *last[edge.to], end);
        for (const Bar& bar : timeline.bars)
            add_bar(bar, timeline.unit, end);
    }

    void add_bar(const Bar& bar, std::string_view unit, std::uint64_t end) {
        static constexpr std::string_view kClasses[] = {"", " lost", " repaired", " in-order"};
        static constexpr std::string_view kWords[] = {"", ", for nothing", ", at its turn, again",
                                                      ", at its turn"};
        const auto kind = static_cast<std::size_t>(bar.kind);
        const Box box = place(bar, end);
        text_ += fmt::format(
            "<rect class=\"bar{}{}\" x=\"{:.2f}\" y=\"{:.0f}\" width=\"{:.2f}\" height=\"{:.0f}\" "
            "data-t=\"{}\" data-span=\"from {} to {} {}, worker {}{}{}\"/>\n",
            is_critical_[bar.transaction] ? " critical" : "", kClasses[kind], box.x, box.y,
            box.width, box.height, bar.transaction, grouped(bar.begin), grouped(bar.end), unit,
            bar.lane + 1, bar.attempt == 0 ? "" : fmt::format(", attempt {}", bar.attempt + 1),
            kWords[kind]);
    }

    void add_edge(const GraphEdge& edge, const Bar& from, const Bar& to, std::uint64_t end) {
        const Box left = place(from, end);
        const Box right = place(to, end);
        const double x = left.x + left.width;
        const double y = left.y + kBarHeight / 2;
        const double bend = std::max(12.0, (right.x - x) / 3);
        text_ += fmt::format(
            "<path class=\"edge{}\" stroke=\"{}\" d=\"M{:.2f} {:.0f}C{:.2f} {:.0f} {:.2f} {:.0f} "
            "{:.2f} {:.0f}\" data-f=\"{}\" data-g=\"{}\"/>\n",
            is_path(edge) ? " path" : "", colour_of(edge), x, y, x + bend, y, right.x - bend,
            right.y + kBarHeight / 2, right.x, right.y + kBarHeight / 2, edge.from, edge.to);
    }

    void add_accounts() {
        text_ += fmt::format(
            "<h2>Accounts whose objects others wait for</h2>\n<table><tr><th>account</th>"
            "<th class=\"n\">of the critical path</th><th class=\"n\">{}</th>"
            "<th class=\"n\">transactions that wait</th></tr>\n",
            unit());
        for (std::size_t i = 0; i < std::min(accounts_.size(), kMaxAccountsListed); ++i) {
            const AccountLoad& load = accounts_[i];
            const double share = graph_.critical_cost == 0
                                     ? 0
                                     : 100 * static_cast<double>(load.critical_cost) /
                                           static_cast<double>(graph_.critical_cost);
            text_ += fmt::format(
                "<tr><td><i style=\"background:{}\"></i><code>{}</code></td><td "
                "class=\"n\">{:.1f} %</td><td class=\"n\">{}</td><td class=\"n\">{}</td></tr>\n",
                kColours[ranks_.at(load.address)], to_string(load.address), share,
                grouped(load.critical_cost), load.waiting);
        }
        text_ += fmt::format(
            "</table>\n<p>{} in all. An edge with several causes counts "
            "for each of them.</p>\n",
            counted(accounts_.size(), "account"));
    }

    void add_data() {
        std::string data;
        JsonWriter json(data, JsonWriter::Style::compact);
        json.begin_object();
        json.key("transactions");
        json.begin_array();
        auto edge = graph_.edges.begin();
        for (std::uint32_t transaction = 0; transaction < graph_.costs.size(); ++transaction) {
            json.begin_object();
            add_details(transaction, json);
            json.key("waits");
            json.begin_array();
            std::size_t reasons = 0;
            for (; edge != graph_.edges.end() && edge->to == transaction; ++edge)
                for (const std::uint32_t cause : graph_.causes_of(*edge))
                    if (++reasons <= kMaxReasonsTold)
                        json.string(
                            fmt::format("{}: {}", edge->from, to_text(graph_.objects[cause])));
            if (reasons > kMaxReasonsTold)
                json.string(fmt::format("… {} more reasons", reasons - kMaxReasonsTold));
            json.end_array();
            json.end_object();
        }
        json.end_array();
        json.end_object();
        text_ +=
            "<script type=\"application/json\" id=\"data\">" + escape_script(data) + "</script>\n";
    }

    void add_details(std::uint32_t transaction, JsonWriter& json) {
        if (!block_.hashes.empty()) {
            json.key("hash");
            json.hash(block_.hashes[transaction]);
        }
        if (!block_.senders.empty()) {
            json.key("sender");
            json.address(block_.senders[transaction]);
        }
        if (!block_.recipients.empty()) {
            json.key("to");
            if (block_.recipients[transaction].has_value())
                json.address(*block_.recipients[transaction]);
            else
                json.string("a new contract");
        }
        if (!block_.is_gas) return;
        json.key("cost");
        json.string(grouped(graph_.costs[transaction]) + " gas");
    }

    const Inspection& block_;
    const BlockGraph& graph_;
    const std::vector<AccountLoad> accounts_;
    std::map<Address, std::size_t> ranks_;  // in kColours
    std::vector<bool> is_critical_;
    std::vector<GraphEdge> edges_;
    std::size_t left_out_ = 0;
    std::string text_;
};

}  // namespace

std::string escape_html(std::string_view text) {
    std::string safe;
    for (const char c : text) {
        switch (c) {
            case '&':
                safe += "&amp;";
                break;
            case '<':
                safe += "&lt;";
                break;
            case '>':
                safe += "&gt;";
                break;
            case '"':
                safe += "&quot;";
                break;
            case '\'':
                safe += "&#39;";
                break;
            default:
                safe += c;
        }
    }
    return safe;
}

std::string escape_script(std::string json) {
    for (std::size_t at = 0; (at = json.find('<', at)) != std::string::npos; at += 6)
        json.replace(at, 1, "\\u003c");
    return json;
}

std::string to_html(const Inspection& block, std::span<const Timeline> timelines) {
    return Page{block}.make(timelines);
}

Timeline modelled(const Inspection& block, std::uint32_t workers) {
    Timeline timeline = model_timeline(block.graph, workers);
    timeline.unit = block.is_gas ? "gas" : "transactions";
    timeline.title = fmt::format(
        "{} worker{}, modelled: the oldest that is ready runs, and nothing but executing takes "
        "time",
        workers, workers == 1 ? "" : "s");
    return timeline;
}

}  // namespace heddle::node
