#include "memory/bill.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/size.h"

namespace memline::memory {

std::array<Bill::Entry, 9> Bill::entries() const {
  return {{{"context", context},
           {"weights", weights},
           {"activations", activations},
           {"workspace", workspace},
           {"kernels", kernels},
           {"staging", staging},
           {"io", io},
           {"results", results},
           {"video", video}}};
}

int64_t Bill::total() const {
  int64_t total = 0;
  for (const Entry& entry : entries()) total = saturating_add(total, entry.bytes);
  return total;
}

std::vector<NamedBytes> largest_at(std::span<const Buffer> buffers, int32_t step, size_t count) {
  std::vector<NamedBytes> largest;
  for (const Buffer& buffer : buffers)
    if (buffer.alive_at(step) && buffer.bytes > 0) largest.push_back({buffer.name, buffer.bytes});
  std::stable_sort(largest.begin(), largest.end(),
                   [](const NamedBytes& a, const NamedBytes& b) { return a.bytes > b.bytes; });
  if (largest.size() > count) largest.resize(count);
  return largest;
}

std::string bill_text(const Bill& bill, int64_t limit_bytes, std::span<const NamedBytes> largest) {
  std::string text;
  const auto row = [&](std::string_view name, int64_t bytes) {
    text += fmt::format("{:<16}{:>12}{:>18} bytes\n", name, format_size(bytes), bytes);
  };
  if (limit_bytes > 0) row("line", limit_bytes);
  row("bill", bill.total());
  for (const Bill::Entry& entry : bill.entries())
    if (entry.bytes != 0) row(fmt::format("  {}", entry.name), entry.bytes);
  if (largest.empty()) return text;
  text += "largest buffers at the peak step\n";
  for (const NamedBytes& buffer : largest)
    text += fmt::format("  {:>12}  {}\n", format_size(buffer.bytes), buffer.name);
  return text;
}

}  // namespace memline::memory
