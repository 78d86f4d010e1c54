// Log: where an application hears from the library. Library code never prints: it writes to the Log it was given.
// One line an event: a fixed message, then key=value. Nothing in the run path logs.
//   log.write(LogLevel::info, "engine loaded", {{"path", path}, {"bytes", bytes}});  ->  engine loaded path=a.mline
//   bytes=4096
#pragma once

#include <fmt/format.h>

#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>

namespace memline {

enum class LogLevel : int { error, warn, info, debug };
std::string_view log_level_name(LogLevel level);

struct LogField {
  template <typename T>
  LogField(std::string_view key, const T& value) : key(key), value(fmt::format("{}", value)) {}
  std::string_view key;
  std::string value;
};

struct Log {
  // May be called by several threads at once.
  using Sink = std::function<void(LogLevel level, std::string_view line)>;

  Sink sink;                            // none: nothing is written
  LogLevel verbosity = LogLevel::warn;  // the least important level that is written

  bool wants(LogLevel level) const { return sink != nullptr && level <= verbosity; }
  void write(LogLevel level, std::string_view message, std::initializer_list<LogField> fields = {}) const;
};

}  // namespace memline
