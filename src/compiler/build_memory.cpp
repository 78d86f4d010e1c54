#include "compiler/build_memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/size.h"

namespace memline {
namespace {

// Measured over the project's models and a graph of 2,500 nodes (peak of `plan` less the model's bytes): 5.9 MiB and
// up to 12.5 KiB a node.
constexpr int64_t kProgramBytes = 8 << 20;
constexpr int64_t kNodeBytes = 16 << 10;
constexpr int64_t kSpareBytes = 16 << 20;

int64_t bytes_of(const Constant& constant) { return constant.view.elements() * size_of(constant.view.dtype); }

// The largest weights that some step has at least: of its leanest candidate.
int64_t largest_item(const Menu& menu) {
  int64_t largest = 0;
  for (const MenuNode& node : menu.nodes) {
    const auto leanest =
        std::min_element(node.candidates.begin(), node.candidates.end(),
                         [](const Candidate& a, const Candidate& b) { return a.packed_bytes < b.packed_bytes; });
    if (leanest != node.candidates.end()) largest = std::max(largest, leanest->packed_bytes);
  }
  return largest;
}

void refuse_what_cannot_be_packed(MenuNode& node, int64_t room) {
  std::erase_if(node.candidates, [&](const Candidate& candidate) {
    if (candidate.packed_bytes <= room) return false;
    node.refusals.push_back({std::string(candidate.tactic->name()),
                             fmt::format("packing its weights takes {}, and the build's line leaves {}",
                                         format_size(candidate.packed_bytes), format_size(room))});
    return true;
  });
}

}  // namespace

BuildMemory::BuildMemory(const std::string& path, const Graph& imported) {
  std::error_code error;
  const auto found = std::filesystem::file_size(path, error);
  int64_t constants = 0;
  for (const Value& value : imported.values()) {
    if (!value.constant) continue;
    imported_.insert(value.constant->owner);
    constants = saturating_add(constants, bytes_of(*value.constant));
  }
  model_ = std::max(error ? 0 : static_cast<int64_t>(found), constants);
  tables_ = kProgramBytes + kNodeBytes * static_cast<int64_t>(imported.nodes().size());
}

Status BuildMemory::draw_line(int64_t limit_bytes, int64_t run_bytes, Menu& menu) {
  int64_t made = 0;
  for (const Value& value : menu.graph->values())
    if (value.constant && !imported_.contains(value.constant->owner))
      made = saturating_add(made, bytes_of(*value.constant));
  held_ = tables_ + saturating_add(model_, made);
  least_ = held_ + largest_item(menu);
  if (limit_bytes > 0 && limit_bytes < least_) {
    Error error;
    error.code = Code::over_budget;
    error.phase = "build";
    error.least_bytes = least_;
    error.largest = {{"the model", model_},
                     {"constants made by passes", made},
                     {"program and tables", tables_},
                     {"the largest packed weights", least_ - held_}};
    error.message = fmt::format(
        "needs {} bytes ({}) to build, over --build-memory of {} bytes ({}); {} bytes is the least that works; "
        "the model takes {}",
        least_, format_size(least_), limit_bytes, format_size(limit_bytes), least_, format_size(model_));
    return Failure(std::move(error));
  }
  limit_ = limit_bytes;
  if (limit_ == 0) limit_ = std::max(least_, run_bytes + model_ + model_ * 3 / 10 + kSpareBytes);
  for (MenuNode& node : menu.nodes) refuse_what_cannot_be_packed(node, limit_ - held_);
  return {};
}

}  // namespace memline
