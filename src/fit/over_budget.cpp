#include "fit/over_budget.h"

#include <algorithm>

#include "base/size.h"

namespace memline {

std::vector<NamedBytes> largest_at_peak(const Schedule& s) {
  std::vector<NamedBytes> live;
  for (const memory::Buffer& buffer : s.buffers)
    if (buffer.first_step <= s.plan.peak_step && s.plan.peak_step <= buffer.last_step)
      live.push_back({buffer.name, buffer.bytes});
  std::stable_sort(live.begin(), live.end(),
                   [](const NamedBytes& a, const NamedBytes& b) { return a.bytes > b.bytes; });
  if (live.size() > 10) live.resize(10);
  return live;
}

Failure over_budget(const Schedule& leanest, int64_t limit_bytes) {
  Error error;
  error.code = Code::over_budget;
  error.phase = "run";
  error.least_bytes = leanest.bill.total();
  error.largest = largest_at_peak(leanest);
  std::string largest = "no buffer";
  if (!error.largest.empty())
    largest = fmt::format("the largest buffer is '{}' with {} ({} bytes)", error.largest[0].name,
                          format_size(error.largest[0].bytes), error.largest[0].bytes);
  error.message = fmt::format(
      "needs {} bytes ({}) to run, over the line of {} bytes ({}); {} bytes is the least line that works; {}",
      error.least_bytes, format_size(error.least_bytes), limit_bytes, format_size(limit_bytes), error.least_bytes,
      largest);
  return Failure(std::move(error));
}

}  // namespace memline
