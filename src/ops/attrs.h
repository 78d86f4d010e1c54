// Attributes of an op: one plain struct with one field list, from which printing, parsing, comparing and hashing come.
//
// struct ConvAttrs { std::vector<int64_t> strides, pads, dilations; int64_t group = 1; void fields(auto&& field) {
// field("strides", strides); field("pads", pads); field("dilations", dilations); field("group", group); } };
//
// Field types: int64_t, float, bool, std::string, DType, std::vector<int64_t>, std::vector<float>.
// The text form lists the fields that differ from the struct's defaults: `strides=[2,2], pads=[1,1,1,1]`. It is how
// attributes are stored in engines, so parse(text(a)) == a, floats included.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "base/result.h"
#include "tensor/dtype.h"

namespace memline::ops {

struct NoAttrs {
  void fields(auto&&) {}
};

namespace attr_text {
std::string print(int64_t value);
std::string print(float value);
std::string print(bool value);
std::string print(const std::string& value);  // quoted, with \" and \\ escaped
std::string print(DType value);
std::string print(const std::vector<int64_t>& value);
std::string print(const std::vector<float>& value);
Status parse(std::string_view text, int64_t& value);
Status parse(std::string_view text, float& value);
Status parse(std::string_view text, bool& value);
Status parse(std::string_view text, std::string& value);
Status parse(std::string_view text, DType& value);
Status parse(std::string_view text, std::vector<int64_t>& value);
Status parse(std::string_view text, std::vector<float>& value);

struct Pair {
  std::string_view name, value;
};
// Splits `a=1, b=[1,2], c="x, y"`. Errors: invalid_argument.
Result<std::vector<Pair>> split(std::string_view text);
}  // namespace attr_text

// Any op's attributes: an immutable, shared value.
class Attrs {
 public:
  Attrs();  // NoAttrs

  template <typename A>
  static Attrs of(A value) {
    Attrs attrs(nullptr);
    attrs.text_ = print(value);
    attrs.value_ = std::make_shared<const A>(std::move(value));
    attrs.type_ = type_of<A>();
    return attrs;
  }
  template <typename A>
  const A& as() const {
    MEML_CHECK(type_ == type_of<A>());
    return *static_cast<const A*>(value_.get());
  }
  template <typename A>
  static Result<Attrs> parse(std::string_view text);

  const std::string& text() const { return text_; }
  bool operator==(const Attrs& other) const { return type_ == other.type_ && text_ == other.text_; }

 private:
  explicit Attrs(std::nullptr_t) {}
  template <typename A>
  static const void* type_of() {
    static constexpr char tag = 0;
    return &tag;
  }
  template <typename A>
  static std::string print(const A& value);

  std::shared_ptr<const void> value_;
  const void* type_ = nullptr;
  std::string text_;
};

template <typename A>
std::string Attrs::print(const A& value) {
  A copy = value, defaults{};
  std::vector<std::string> plain;
  defaults.fields([&](std::string_view, auto& field) { plain.push_back(attr_text::print(field)); });
  std::string text;
  size_t i = 0;
  copy.fields([&](std::string_view name, auto& field) {
    std::string printed = attr_text::print(field);
    if (printed != plain[i++]) text.append(text.empty() ? "" : ", ").append(name).append("=").append(printed);
  });
  return text;
}

template <typename A>
Result<Attrs> Attrs::parse(std::string_view text) {
  MEML_TRY(const std::vector<attr_text::Pair> pairs, attr_text::split(text));
  A value{};
  for (const auto& pair : pairs) {
    Status status = fail(Code::invalid_argument, {}, "unknown attribute '{}'", pair.name);
    value.fields([&](std::string_view name, auto& field) {
      if (name == pair.name) status = attr_text::parse(pair.value, field);
    });
    MEML_TRY_STATUS(std::move(status));
  }
  return of(std::move(value));
}

}  // namespace memline::ops
