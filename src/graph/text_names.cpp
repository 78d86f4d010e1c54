#include "graph/text_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>

namespace memline::text_names {
namespace {

bool begins_word(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool in_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.'; }

// The index in "s12"; -1 for any other word.
int64_t slot_number(std::string_view text) {
  if (text.size() < 2 || text[0] != 's') return -1;
  int64_t index = -1;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data() + 1, end, index);
  return error == std::errc() && rest == end && index >= 0 ? index : -1;
}

// Replaces each word between the brackets of a type by f(word).
template <typename F>
std::string map_words(std::string_view type, F&& f) {
  std::string result;
  bool inside = false;
  for (size_t i = 0; i < type.size();) {
    if (!inside || !begins_word(type[i])) {
      inside = inside || type[i] == '[';
      result += type[i++];
      continue;
    }
    size_t end = i;
    while (end < type.size() && in_word(type[end])) ++end;
    result += f(type.substr(i, end - i));
    i = end;
  }
  return result;
}

}  // namespace

bool is_word(std::string_view text) {
  return !text.empty() && text != "_" && begins_word(text[0]) && std::all_of(text.begin(), text.end(), in_word);
}

bool is_slot_word(std::string_view text) {
  static constexpr std::array<std::string_view, 14> kTaken = {"floordiv", "ceildiv", "mod",   "min",  "max",
                                                              "eq",       "equal",   "less",  "lt",   "select",
                                                              "floor",    "ceil",    "round", "trunc"};
  return is_word(text) && text.find('.') == std::string_view::npos && slot_number(text) < 0 &&
         std::find(kTaken.begin(), kTaken.end(), text) == kTaken.end() && text.substr(0, 5) != "float" &&
         text.substr(0, 5) != "round";
}

std::string quote(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    if (c == '\n')
      quoted += "\\n";
    else
      quoted += c;
  }
  return quoted + '"';
}

std::string word(std::string_view text) { return is_word(text) ? std::string(text) : quote(text); }

std::string rename_slots(std::string_view type, std::span<const std::string> words) {
  return map_words(type, [&](std::string_view word) {
    const int64_t slot = slot_number(word);
    return slot >= 0 && static_cast<size_t>(slot) < words.size() ? words[static_cast<size_t>(slot)] : std::string(word);
  });
}

std::string number_slots(std::string_view type, std::span<const std::string> words) {
  return map_words(type, [&](std::string_view word) {
    const auto found = std::find(words.begin(), words.end(), word);
    return found == words.end() ? std::string(word) : fmt::format("s{}", found - words.begin());
  });
}

}  // namespace memline::text_names
