// Operator problems as text: tests/cases/<op>.cases, one problem a line with the reason it is there.
//   x=f32[1,16,112,112] y=f32[1,16,1,1]              # a gate of squeeze and excitation
//   x=f32[2,3] axes=i64[1]{-1} axis=1                # inputs in the op's order; {} gives values; what has no type is
//   an attribute x=f32[4] _ max=f32[]{6}                          # an absent input
// Inputs without values are filled from a fixed seed by whoever runs the line. Blank lines and lines of comment are
// skipped.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "tensor/dtype.h"

namespace memline::testing {

struct CaseInput {
  std::string name;
  bool present = true;
  DType dtype = DType::f32;
  std::vector<int64_t> dims;
  std::optional<std::vector<double>> values;
};

struct Case {
  int line = 0;
  std::string text, reason;
  std::vector<CaseInput> inputs;
  std::string attrs;  // as Attrs::parse reads it: "axis=1, perm=[0,2,1]"
};

// Errors (invalid_argument) name the line.
Result<std::vector<Case>> parse_cases(std::string_view text);
Result<std::vector<Case>> read_cases(const std::string& path);

}  // namespace memline::testing
