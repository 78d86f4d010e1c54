#include "ops/attrs.h"

#include <fmt/format.h>

#include <charconv>

namespace memline::ops {
namespace attr_text {
namespace {

constexpr std::string_view kHex = "0123456789abcdef";

bool is_name_char(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

template <typename T>
Status parse_number(std::string_view text, std::string_view what, T& value) {
  text = trimmed(text);
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || rest != end) return invalid_argument("'{}' is not {}", text, what);
  return {};
}

template <typename T>
std::string print_list(const std::vector<T>& values) {
  std::string text = "[";
  for (const T& value : values) text.append(text.size() > 1 ? "," : "").append(print(value));
  return text + "]";
}

template <typename T>
Status parse_list(std::string_view text, std::vector<T>& values) {
  text = trimmed(text);
  if (text.size() < 2 || text.front() != '[' || text.back() != ']') return invalid_argument("'{}' is not a list", text);
  text = text.substr(1, text.size() - 2);
  values.clear();
  if (trimmed(text).empty()) return {};
  for (bool more = true; more;) {
    const size_t comma = text.find(',');
    more = comma != std::string_view::npos;
    T value{};
    MEML_TRY_STATUS(parse(text.substr(0, comma), value));
    values.push_back(value);
    if (more) text.remove_prefix(comma + 1);
  }
  return {};
}

// The length of the value that `text` begins with: a quoted string, a list, or all up to the next comma. npos when it
// does not end.
size_t value_length(std::string_view text) {
  if (text.front() == '[') {
    const size_t end = text.find(']');
    return end == std::string_view::npos ? end : end + 1;
  }
  if (text.front() != '"') return std::min(text.find(','), text.size());
  for (size_t i = 1; i < text.size(); ++i) {
    if (text[i] == '"') return i + 1;
    if (text[i] == '\\') ++i;
  }
  return std::string_view::npos;
}

}  // namespace

std::string print(int64_t value) { return fmt::format("{}", value); }
std::string print(float value) { return fmt::format("{}", value); }
std::string print(bool value) { return value ? "true" : "false"; }
std::string print(DType value) { return std::string(dtype_name(value)); }
std::string print(const std::vector<int64_t>& value) { return print_list(value); }
std::string print(const std::vector<float>& value) { return print_list(value); }

// Control characters become \xNN, so that a printed node stays one line.
std::string print(const std::string& value) {
  std::string text = "\"";
  for (const char c : value) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      text.append("\\").push_back(c);
    } else if (byte < 0x20 || byte == 0x7f) {
      text.append("\\x").append({kHex[byte >> 4], kHex[byte & 15]});
    } else {
      text.push_back(c);
    }
  }
  return text + "\"";
}

Status parse(std::string_view text, int64_t& value) { return parse_number(text, "an integer", value); }
Status parse(std::string_view text, float& value) { return parse_number(text, "a number", value); }
Status parse(std::string_view text, std::vector<int64_t>& value) { return parse_list(text, value); }
Status parse(std::string_view text, std::vector<float>& value) { return parse_list(text, value); }

Status parse(std::string_view text, bool& value) {
  text = trimmed(text);
  if (text != "true" && text != "false") return invalid_argument("'{}' is neither true nor false", text);
  value = text == "true";
  return {};
}

Status parse(std::string_view text, DType& value) {
  const std::optional<DType> dtype = parse_dtype(trimmed(text));
  if (!dtype) return invalid_argument("'{}' is not an element type", text);
  value = *dtype;
  return {};
}

Status parse(std::string_view text, std::string& value) {
  text = trimmed(text);
  if (text.size() < 2 || text.front() != '"' || value_length(text) != text.size())
    return invalid_argument("'{}' is not a quoted string", text);
  text = text.substr(1, text.size() - 2);
  value.clear();
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\') {
      value.push_back(text[i]);
      continue;
    }
    ++i;
    if (text[i] != 'x') {
      value.push_back(text[i]);
      continue;
    }
    const size_t high = i + 2 < text.size() ? kHex.find(text[i + 1]) : std::string_view::npos;
    const size_t low = i + 2 < text.size() ? kHex.find(text[i + 2]) : std::string_view::npos;
    if (high == std::string_view::npos || low == std::string_view::npos)
      return invalid_argument("a string holds \\x without two hexadecimal digits");
    value.push_back(static_cast<char>(high << 4 | low));
    i += 2;
  }
  return {};
}

Result<std::vector<Pair>> split(std::string_view text) {
  std::vector<Pair> pairs;
  text = trimmed(text);
  while (!text.empty()) {
    size_t length = 0;
    while (length < text.size() && is_name_char(text[length])) ++length;
    const std::string_view name = text.substr(0, length);
    text.remove_prefix(length);
    if (name.empty() || text.size() < 2 || text.front() != '=')
      return invalid_argument("attributes need the form name=value, found '{}{}'", name, text);
    text.remove_prefix(1);
    const size_t end = value_length(text);
    if (end == std::string_view::npos) return invalid_argument("the value of attribute '{}' does not end", name);
    for (const Pair& pair : pairs)
      if (pair.name == name) return invalid_argument("attribute '{}' is given twice", name);
    pairs.push_back({name, trimmed(text.substr(0, end))});
    text = trimmed(text.substr(end));
    if (text.empty()) break;
    if (text.front() != ',') return invalid_argument("expected ',' after attribute '{}', found '{}'", name, text);
    text = trimmed(text.substr(1));
    if (text.empty()) return invalid_argument("expected an attribute after the last ','");
  }
  return pairs;
}

}  // namespace attr_text

Attrs::Attrs() { *this = of(NoAttrs{}); }

}  // namespace memline::ops
