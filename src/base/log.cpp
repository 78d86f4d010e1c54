#include "base/log.h"

#include <algorithm>

namespace memline {
namespace {

// Values with spaces, quotes or control characters are quoted, so that a line can be taken apart again.
void append_value(std::string& line, std::string_view value) {
  const bool plain =
      !value.empty() && value.find_first_of(" \"\\=") == std::string_view::npos &&
      std::all_of(value.begin(), value.end(), [](char c) { return static_cast<unsigned char>(c) >= 0x20; });
  if (plain) {
    line += value;
    return;
  }
  line += '"';
  for (const char c : value) {
    if (c == '"' || c == '\\')
      line.append("\\").push_back(c);
    else if (static_cast<unsigned char>(c) < 0x20)
      line += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    else
      line += c;
  }
  line += '"';
}

}  // namespace

std::string_view log_level_name(LogLevel level) {
  switch (level) {
    case LogLevel::error:
      return "error";
    case LogLevel::warn:
      return "warn";
    case LogLevel::info:
      return "info";
    case LogLevel::debug:
      return "debug";
  }
  return "debug";
}

void Log::write(LogLevel level, std::string_view message, std::initializer_list<LogField> fields) const {
  if (!wants(level)) return;
  std::string line(message);
  for (const LogField& field : fields) {
    line.append(" ").append(field.key).append("=");
    append_value(line, field.value);
  }
  sink(level, line);
}

}  // namespace memline
