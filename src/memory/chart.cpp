#include "memory/chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <vector>

#include "base/size.h"

namespace memline::memory {
namespace {

constexpr double kWidth = 1280, kHeight = 780;
constexpr double kLeft = 92, kRight = 28, kTop = 98, kBottom = 176;
constexpr double kPlotWidth = kWidth - kLeft - kRight, kPlotHeight = kHeight - kTop - kBottom;
constexpr double kCharWidth = 6.2;        // of the 11 px labels, a little more than they take on average
constexpr double kStepLabelSpacing = 15;  // slanted labels closer than this would touch
constexpr double kAddressTicks = 10;
constexpr size_t kStepLabelLength = 24;
constexpr std::string_view kWorkspace = "(workspace)";

struct Group {
  std::string_view name;
  std::string_view fill;
};
constexpr std::array<std::string_view, 4> kActivationFills = {"#8fb8de", "#a9cbe6", "#7aa6d2", "#9dc3e0"};
constexpr Group kInputs = {"inputs", "#a6d5a1"}, kOutputs = {"outputs", "#f2c572"}, kScratch = {"workspace", "#d7a9cf"},
                kActivations = {"activations", kActivationFills[0]};

const Group& group_of(const Buffer& buffer) {
  if (buffer.region == Region::input) return kInputs;
  if (buffer.region == Region::output) return kOutputs;
  return buffer.name.size() >= kWorkspace.size() && buffer.name.ends_with(kWorkspace) ? kScratch : kActivations;
}

// The bytes of the UTF-8 character that `text` begins with; 0 when it is none that XML allows.
size_t character_length(std::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  if (byte(0) < 0x80) return byte(0) >= 0x20 && byte(0) != 0x7f ? 1 : 0;
  const size_t length = byte(0) >= 0xf0 && byte(0) < 0xf5 ? 4 : byte(0) >= 0xe0 ? 3 : 2;
  if (byte(0) < 0xc2 || byte(0) >= 0xf5 || text.size() < length) return 0;
  for (size_t i = 1; i < length; ++i)
    if ((byte(i) & 0xc0) != 0x80) return 0;
  const bool overlong = (byte(0) == 0xe0 && byte(1) < 0xa0) || (byte(0) == 0xf0 && byte(1) < 0x90);
  const bool surrogate = (byte(0) == 0xed && byte(1) >= 0xa0) || (byte(0) == 0xf4 && byte(1) >= 0x90);
  const bool noncharacter = length == 3 && byte(0) == 0xef && byte(1) == 0xbf && byte(2) >= 0xbe;
  return overlong || surrogate || noncharacter ? 0 : length;
}

// The last `limit` characters, escaped: names of nodes differ at their end. A name from a model may hold any bytes.
std::string escaped(std::string_view text, size_t limit = std::string_view::npos) {
  std::vector<std::string> characters;
  while (!text.empty()) {
    const size_t length = character_length(text);
    switch (length == 0 ? '?' : text[0]) {
      case '<':
        characters.emplace_back("&lt;");
        break;
      case '>':
        characters.emplace_back("&gt;");
        break;
      case '&':
        characters.emplace_back("&amp;");
        break;
      case '"':
        characters.emplace_back("&quot;");
        break;
      default:
        characters.emplace_back(length == 0 ? "?" : text.substr(0, length));
    }
    text.remove_prefix(std::max<size_t>(length, 1));
  }
  const size_t shown = characters.size() <= limit ? characters.size() : limit - 1;
  std::string out = shown < characters.size() ? "…" : "";
  for (size_t i = characters.size() - shown; i < characters.size(); ++i) out += characters[i];
  return out;
}

// The smallest of 1, 2, 5, 10, 20 ... that fits into `span` at most `most` times.
double tick_of(double span, double most) {
  const double unit = std::pow(10, std::floor(std::log10(span / most)));
  for (const double factor : {1.0, 2.0, 5.0})
    if (unit * factor * most >= span) return unit * factor;
  return unit * 10;
}

class Chart {
 public:
  explicit Chart(const Timeline& timeline) : timeline_(timeline) {
    steps_ = static_cast<int64_t>(timeline.step_names.size());
    for (const Buffer& buffer : timeline.buffers) steps_ = std::max<int64_t>(steps_, int64_t{buffer.last_step} + 1);
    steps_ = std::max<int64_t>(steps_, 1);
    count_live_bytes();
    top_ = static_cast<double>(std::max<int64_t>({timeline.arena_bytes, peak_bytes_, 1})) * 1.04;
  }

  std::string svg() {
    begin();
    address_axis();
    step_axis();
    for (size_t i = 0; i < timeline_.buffers.size(); ++i) rectangle(i);
    curve();
    for (size_t i = 0; i < timeline_.buffers.size(); ++i) label(i);
    arena_line();
    legend();
    return out_ + "</svg>\n";
  }

 private:
  double x(int64_t step) const { return kLeft + kPlotWidth * static_cast<double>(step) / static_cast<double>(steps_); }
  double y(int64_t bytes) const { return kTop + kPlotHeight * (1 - static_cast<double>(bytes) / top_); }

  template <typename... Args>
  void line(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(out_), format, std::forward<Args>(args)...);
    out_ += '\n';
  }

  // Steps at which the live bytes change, with the bytes alive from there.
  void count_live_bytes() {
    std::vector<std::pair<int64_t, int64_t>> changes = {{0, 0}};
    for (const Buffer& buffer : timeline_.buffers) {
      changes.emplace_back(buffer.first_step, buffer.bytes);
      changes.emplace_back(int64_t{buffer.last_step} + 1, -buffer.bytes);
    }
    std::sort(changes.begin(), changes.end());
    int64_t live = 0;
    for (size_t i = 0; i < changes.size(); ++i) {
      live = saturating_add(live, changes[i].second);
      if (i + 1 < changes.size() && changes[i + 1].first == changes[i].first) continue;
      live_.emplace_back(changes[i].first, live);
      if (live > peak_bytes_) peak_bytes_ = live, peak_step_ = changes[i].first;
    }
  }

  std::string step_name(int64_t step, size_t limit) const {
    const auto at = static_cast<size_t>(step);
    return at < timeline_.step_names.size() ? escaped(timeline_.step_names[at], limit) : "";
  }

  void begin() {
    line(
        R"(<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {0} {1}" width="{0}" height="{1}" font-family="Helvetica, Arial, 'DejaVu Sans', sans-serif" font-size="11" fill="#22313f">)",
        kWidth, kHeight);
    line(
        "<style>.b{{stroke:#fff;stroke-width:0.6}} .b:hover{{stroke:#c0392b;stroke-width:2}} .grid{{stroke:#e3e7eb}} "
        ".in{{pointer-events:none}} "
        ".name{{paint-order:stroke;stroke:#fff;stroke-opacity:0.75;stroke-width:2.5px}}</style>");
    line(R"(<rect width="{}" height="{}" fill="#ffffff"/>)", kWidth, kHeight);
    line(R"(<text x="{}" y="30" font-size="18" font-weight="bold">{}</text>)", kLeft,
         escaped("Memory timeline: " + timeline_.title, 90));
    int64_t sum = 0;
    for (const Buffer& buffer : timeline_.buffers) sum = saturating_add(sum, buffer.bytes);
    line(
        R"(<text x="{}" y="50" font-size="12" fill="#5d6d7e">{} buffers over {} steps; arena {}, largest live sum {}, without reuse {}</text>)",
        kLeft, timeline_.buffers.size(), steps_, format_size(timeline_.arena_bytes), format_size(peak_bytes_),
        format_size(sum));
  }

  void address_axis() {
    const bool large = top_ >= 1048576;
    const double unit = large ? 1048576 : 1024;
    const double tick = tick_of(top_ / unit, kAddressTicks);
    for (double value = 0; value * unit <= top_; value += tick) {
      const double at = kTop + kPlotHeight * (1 - value * unit / top_);
      line(R"(<line class="grid" x1="{:.1f}" x2="{:.1f}" y1="{:.1f}" y2="{:.1f}"/>)", kLeft, kLeft + kPlotWidth, at,
           at);
      line(R"(<text x="{:.1f}" y="{:.1f}" text-anchor="end">{:.4g}</text>)", kLeft - 8, at + 4, value);
    }
    line(
        R"svg(<text transform="translate(24 {:.1f}) rotate(-90)" text-anchor="middle" font-size="12">address, {}</text>)svg",
        kTop + kPlotHeight / 2, large ? "MiB" : "KiB");
  }

  void step_axis() {
    const double step_width = kPlotWidth / static_cast<double>(steps_);
    const double ticks = tick_of(static_cast<double>(steps_), kPlotWidth / kStepLabelSpacing);
    const auto every = std::max<int64_t>(static_cast<int64_t>(ticks), 1);
    const double bottom = kTop + kPlotHeight;
    for (int64_t step = 0; step < steps_; step += every) {
      const double at = x(step) + step_width / 2;
      line(R"(<line x1="{0:.1f}" x2="{0:.1f}" y1="{1:.1f}" y2="{2:.1f}" stroke="#9aa5b1"/>)", at, bottom, bottom + 4);
      line(R"svg(<text transform="translate({:.1f} {:.1f}) rotate(-55)" text-anchor="end">{} {}</text>)svg", at + 4,
           bottom + 14, step_name(step, kStepLabelLength), step);
    }
    line(R"(<line x1="{:.1f}" x2="{:.1f}" y1="{:.1f}" y2="{:.1f}" stroke="#9aa5b1"/>)", kLeft, kLeft + kPlotWidth,
         bottom, bottom);
    line(R"(<text x="{:.1f}" y="{:.1f}" text-anchor="end" font-size="12">step</text>)", kLeft + kPlotWidth,
         kHeight - 12);
  }

  void rectangle(size_t i) {
    const Buffer& buffer = timeline_.buffers[i];
    if (buffer.bytes == 0) return;
    const Group& group = group_of(buffer);
    const std::string_view fill = &group == &kActivations ? kActivationFills[i % kActivationFills.size()] : group.fill;
    const double left = x(buffer.first_step), width = x(int64_t{buffer.last_step} + 1) - left;
    const double upper = y(timeline_.offsets[i] + buffer.bytes), height = y(timeline_.offsets[i]) - upper;
    line(
        R"(<rect class="b" x="{:.2f}" y="{:.2f}" width="{:.2f}" height="{:.2f}" fill="{}"><title>{}&#10;{} ({} bytes) at {}&#10;steps {} to {} {}</title></rect>)",
        left, upper, width, std::max(height, 0.4), fill, escaped(buffer.name), format_size(buffer.bytes), buffer.bytes,
        timeline_.offsets[i], buffer.first_step, buffer.last_step, step_name(buffer.first_step, kStepLabelLength));
  }

  // After the curve, so that it does not cross a name out.
  void label(size_t i) {
    const Buffer& buffer = timeline_.buffers[i];
    const double left = x(buffer.first_step), width = x(int64_t{buffer.last_step} + 1) - left;
    const double upper = y(timeline_.offsets[i] + buffer.bytes), height = y(timeline_.offsets[i]) - upper;
    const auto fits = static_cast<size_t>(std::max((width - 8) / kCharWidth, 0.0));
    if (height < 14 || fits < 4) return;
    line(R"(<text class="in name" x="{:.2f}" y="{:.2f}">{}</text>)", left + 4, upper + height / 2 + 4,
         escaped(buffer.name, fits));
  }

  void curve() {
    std::string points;
    for (size_t i = 0; i < live_.size(); ++i) {
      const int64_t end = i + 1 < live_.size() ? live_[i + 1].first : steps_;
      points += fmt::format("{:.2f},{:.2f} {:.2f},{:.2f} ", x(live_[i].first), y(live_[i].second), x(end),
                            y(live_[i].second));
    }
    line(
        R"(<polyline class="in" points="{}" fill="none" stroke="#1b2631" stroke-width="1.3" stroke-linejoin="round"/>)",
        points);
    const double at = x(peak_step_) + kPlotWidth / static_cast<double>(steps_) / 2;
    line(
        R"(<line class="in" x1="{0:.1f}" x2="{0:.1f}" y1="{1:.1f}" y2="{2:.1f}" stroke="#c0392b" stroke-dasharray="4 3"/>)",
        at, kTop - 4, kTop + kPlotHeight);
    const bool on_left = at < kLeft + kPlotWidth / 2;
    line(R"(<text class="in" x="{:.1f}" y="{:.1f}" text-anchor="{}" fill="#c0392b">peak: step {} {}, {} live</text>)",
         at + (on_left ? 4 : -4), kTop - 8, on_left ? "start" : "end", peak_step_, step_name(peak_step_, 40),
         format_size(peak_bytes_));
  }

  void arena_line() {
    const double at = y(timeline_.arena_bytes);
    line(
        R"(<line class="in" x1="{:.1f}" x2="{:.1f}" y1="{:.1f}" y2="{:.1f}" stroke="#5d6d7e" stroke-dasharray="7 4"/>)",
        kLeft, kLeft + kPlotWidth, at, at);
  }

  void legend() {
    double at = kLeft;
    for (const Group* group : {&kActivations, &kScratch, &kInputs, &kOutputs}) {
      const auto of_group = [&](const Buffer& buffer) { return &group_of(buffer) == group; };
      if (std::none_of(timeline_.buffers.begin(), timeline_.buffers.end(), of_group)) continue;
      line(R"(<rect x="{:.1f}" y="60" width="12" height="12" fill="{}"/><text x="{:.1f}" y="70">{}</text>)", at,
           group->fill, at + 17, group->name);
      at += 30 + kCharWidth * static_cast<double>(group->name.size());
    }
    line(
        R"(<line x1="{:.1f}" x2="{:.1f}" y1="66" y2="66" stroke="#1b2631" stroke-width="1.6"/><text x="{:.1f}" y="70">live bytes</text>)",
        at, at + 22, at + 27);
    line(
        R"(<line x1="{:.1f}" x2="{:.1f}" y1="66" y2="66" stroke="#5d6d7e" stroke-dasharray="7 4"/><text x="{:.1f}" y="70">arena</text>)",
        at + 100, at + 122, at + 127);
  }

  const Timeline& timeline_;
  int64_t steps_ = 0, peak_bytes_ = 0, peak_step_ = 0;
  double top_ = 1;
  std::vector<std::pair<int64_t, int64_t>> live_;
  std::string out_;
};

}  // namespace

std::string timeline_svg(const Timeline& timeline) { return Chart(timeline).svg(); }

}  // namespace memline::memory
