// tools.hpp: the curve of fit_curve() as an SVG document.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/size.h"
#include "memline/tools.hpp"

namespace memline::tools {
namespace {

constexpr double kWidth = 900, kHeight = 520, kLeft = 84, kRight = 40, kTop = 84, kBottom = 72;
constexpr double kPlotWidth = kWidth - kLeft - kRight, kPlotHeight = kHeight - kTop - kBottom;

double latency(const FitPoint& point) { return point.measured_ms > 0 ? point.measured_ms : point.predicted_ms; }
double mebibytes(int64_t bytes) { return static_cast<double>(bytes) / (1 << 20); }

// 1, 2 or 5 times a power of ten, so that about `count` of them span `range`.
double tick_of(double range, double count) {
  if (range <= 0) return 1;
  const double unit = std::pow(10, std::floor(std::log10(range / count)));
  for (const double factor : {1.0, 2.0, 5.0})
    if (unit * factor * count >= range) return unit * factor;
  return unit * 10;
}

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '<')
      out += "&lt;";
    else if (c == '&')
      out += "&amp;";
    else
      out += static_cast<unsigned char>(c) < 0x20 ? '?' : c;
  }
  return out;
}

class CurveChart {
 public:
  CurveChart(const FitCurve& curve, const std::string& title) : curve_(curve), title_(title) {
    for (const FitPoint& point : curve.points) {
      most_ms_ = std::max(most_ms_, latency(point));
      most_mib_ = std::max(most_mib_, mebibytes(point.bill.total_bytes));
    }
    least_mib_ = mebibytes(curve.least_bytes);
    const double margin = std::max((most_mib_ - least_mib_) * 0.08, most_mib_ * 0.01);
    from_mib_ = std::max(0.0, least_mib_ - margin);
    to_mib_ = most_mib_ + margin;
    most_ms_ = most_ms_ > 0 ? most_ms_ * 1.1 : 1;
  }

  std::string svg() {
    out_ = fmt::format(R"(<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {0} {1}" width="{0}" height="{1}" )"
                       R"(font-family="Helvetica, Arial, 'DejaVu Sans', sans-serif" font-size="11" fill="#22313f">)"
                       "\n<rect width=\"{0}\" height=\"{1}\" fill=\"#ffffff\"/>\n",
                       kWidth, kHeight);
    text(kLeft, 30, 18, "start", "Latency against memory: " + escaped(title_));
    text(kLeft, 50, 12, "start",
         fmt::format("least line that works {}; {} without a line", format_size(curve_.least_bytes),
                     format_size(curve_.roomy_bytes)));
    axes();
    least_line();
    points();
    return out_ + "</svg>\n";
  }

 private:
  double x(double mib) const { return kLeft + kPlotWidth * (mib - from_mib_) / (to_mib_ - from_mib_); }
  double y(double ms) const { return kTop + kPlotHeight * (1 - ms / most_ms_); }

  void text(double at_x, double at_y, int size, const char* anchor, const std::string& words) {
    out_ += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" font-size=\"{}\" text-anchor=\"{}\">{}</text>\n", at_x, at_y,
                        size, anchor, words);
  }
  void line(double x0, double y0, double x1, double y1, const char* style) {
    out_ += fmt::format("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" {}/>\n", x0, y0, x1, y1, style);
  }

  void axes() {
    constexpr const char* kGrid = "stroke=\"#e3e7eb\"";
    const double mib_tick = tick_of(to_mib_ - from_mib_, 8), ms_tick = tick_of(most_ms_, 6);
    for (double mib = std::ceil(from_mib_ / mib_tick) * mib_tick; mib <= to_mib_; mib += mib_tick) {
      line(x(mib), kTop, x(mib), kTop + kPlotHeight, kGrid);
      text(x(mib), kTop + kPlotHeight + 18, 11, "middle", fmt::format("{:g}", mib));
    }
    for (double ms = 0; ms <= most_ms_; ms += ms_tick) {
      line(kLeft, y(ms), kLeft + kPlotWidth, y(ms), kGrid);
      text(kLeft - 8, y(ms) + 4, 11, "end", fmt::format("{:g}", ms));
    }
    text(kLeft + kPlotWidth / 2, kHeight - 24, 12, "middle", "bill, MiB");
    text(kLeft, kTop - 12, 12, "middle", "ms");
  }

  void least_line() {
    line(x(least_mib_), kTop, x(least_mib_), kTop + kPlotHeight, "stroke=\"#c0392b\" stroke-dasharray=\"5 4\"");
    text(x(least_mib_) + 6, kTop + 12, 11, "start", "least line");
  }

  // A line between two points gives the plan of the lower one: steps, not slopes.
  void points() {
    std::string path;
    for (const FitPoint& point : curve_.points) {
      const double at_x = x(mebibytes(point.bill.total_bytes)), at_y = y(latency(point));
      path += path.empty() ? fmt::format("M{:.1f} {:.1f}", at_x, at_y) : fmt::format(" H{:.1f} V{:.1f}", at_x, at_y);
    }
    out_ += fmt::format("<path d=\"{}\" fill=\"none\" stroke=\"#2c6fad\" stroke-width=\"1.6\"/>\n", path);
    for (const FitPoint& point : curve_.points)
      out_ += fmt::format(
          "<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"4.5\" fill=\"#2c6fad\"><title>line {} ({} bytes), bill {}, {:.3f} "
          "ms "
          "{}, {:.3f} ms predicted</title></circle>\n",
          x(mebibytes(point.bill.total_bytes)), y(latency(point)), format_size(point.line_bytes), point.line_bytes,
          format_size(point.bill.total_bytes), latency(point), point.measured_ms > 0 ? "measured" : "predicted",
          point.predicted_ms);
  }

  const FitCurve& curve_;
  const std::string& title_;
  double least_mib_ = 0, most_mib_ = 0, from_mib_ = 0, to_mib_ = 1, most_ms_ = 0;
  std::string out_;
};

}  // namespace

std::string curve_svg(const FitCurve& curve, const std::string& title) { return CurveChart(curve, title).svg(); }

}  // namespace memline::tools
