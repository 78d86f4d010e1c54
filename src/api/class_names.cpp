#include "api/class_names.h"

#include <charconv>

namespace memline::api {

std::vector<std::string> parse_class_names(std::string_view text) {
  constexpr size_t kMaxClasses = 100'000;
  std::vector<std::string> names;
  for (;;) {
    const size_t digit = text.find_first_of("0123456789");
    if (digit == std::string_view::npos) return names;
    text.remove_prefix(digit);
    size_t id = 0;
    const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), id);
    text.remove_prefix(static_cast<size_t>(rest - text.data()));
    const size_t open = text.find_first_of("'\"");
    if (error != std::errc() || id >= kMaxClasses || open == std::string_view::npos) return names;
    const size_t close = text.find(text[open], open + 1);
    if (close == std::string_view::npos) return names;
    if (names.size() <= id) names.resize(id + 1);
    names[id] = text.substr(open + 1, close - open - 1);
    text.remove_prefix(close + 1);
  }
}

}  // namespace memline::api
