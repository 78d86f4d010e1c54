// TimingCache: what each tactic took for each printed call, so that a build need not time again and two builds agree to
// the byte. Keyed by device target, thread count and library version; a cache for another key is refused, never mixed.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace memline {

class TimingCache {
 public:
  TimingCache(std::string target, int threads) : target_(std::move(target)), threads_(threads) {}

  // Errors: io_error, invalid_argument (not a timing cache; made for another target, thread count or version: names
  // both).
  static Result<TimingCache> load(const std::string& path, const std::string& target, int threads);
  Status save(const std::string& path) const;  // written beside and renamed

  std::optional<double> find(std::string_view call, std::string_view tactic) const;
  void add(std::string_view call, std::string_view tactic, double nanoseconds);
  bool changed() const { return changed_; }

 private:
  std::string target_;
  int threads_;
  std::map<std::string, std::map<std::string, double, std::less<>>, std::less<>> times_;  // call -> tactic -> ns
  bool changed_ = false;
};

}  // namespace memline
