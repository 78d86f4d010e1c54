#include "choose/timing_cache.h"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

namespace memline {
namespace {

constexpr int kFormat = 1;

}  // namespace

Result<TimingCache> TimingCache::load(const std::string& path, const std::string& target, int threads) {
  std::ifstream file(path);
  if (!file) {
    if (errno == ENOENT) return TimingCache(target, threads);  // a cache begins empty
    return io_error("timing cache '{}' cannot be read: {}", path, std::strerror(errno));
  }
  const auto json = nlohmann::json::parse(file, nullptr, false);
  if (!json.is_object() || json.value("memline_timing_cache", nlohmann::json()) != kFormat || !json.contains("calls") ||
      !json["calls"].is_object())
    return invalid_argument("'{}' is not a timing cache of this version", path);
  const auto found_target = json.value("target", nlohmann::json());
  const auto found_threads = json.value("threads", nlohmann::json());
  if (found_target != target || found_threads != threads)
    return invalid_argument("timing cache '{}' was made for {} with {} threads, this build is for \"{}\" with {}", path,
                            found_target.dump(), found_threads.dump(), target, threads);
  TimingCache cache(target, threads);
  for (const auto& [call, tactics] : json["calls"].items()) {
    if (!tactics.is_object())
      return invalid_argument("timing cache '{}': the entry of '{}' is not an object", path, call);
    for (const auto& [tactic, time] : tactics.items()) {
      if (!time.is_number()) return invalid_argument("timing cache '{}': a time of '{}' is not a number", path, call);
      cache.times_[call][tactic] = time.get<double>();
    }
  }
  return cache;
}

Status TimingCache::save(const std::string& path) const {
  nlohmann::json json = {{"memline_timing_cache", kFormat},
                         {"target", target_},
                         {"threads", threads_},
                         {"calls", nlohmann::json::object()}};
  for (const auto& [call, tactics] : times_)
    for (const auto& [tactic, time] : tactics) json["calls"][call][tactic] = time;
  const std::string temporary = path + ".tmp" + std::to_string(getpid());
  std::ofstream file(temporary, std::ios::binary | std::ios::trunc);
  file << json.dump(1) << '\n';
  file.close();
  if (!file || std::rename(temporary.c_str(), path.c_str()) != 0) {
    const int error = errno;
    std::remove(temporary.c_str());
    return fail(Code::io_error,
                error == ENOSPC   ? "disk_full"
                : error == EACCES ? "no_permission"
                                  : "",
                "timing cache '{}' cannot be written: {}", path, std::strerror(error));
  }
  return {};
}

std::optional<double> TimingCache::find(std::string_view call, std::string_view tactic) const {
  const auto tactics = times_.find(call);
  if (tactics == times_.end()) return std::nullopt;
  const auto time = tactics->second.find(tactic);
  if (time == tactics->second.end()) return std::nullopt;
  return time->second;
}

void TimingCache::add(std::string_view call, std::string_view tactic, double nanoseconds) {
  times_[std::string(call)].insert_or_assign(std::string(tactic), nanoseconds);
  changed_ = true;
}

}  // namespace memline
