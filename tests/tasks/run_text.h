// Runs a graph written as text on small arrays, by the operators' references.
#pragma once

#include <gtest/gtest.h>

#include <initializer_list>
#include <string_view>
#include <vector>

#include "graph/evaluate.h"
#include "support/graph_check.h"

namespace memline::test {

template <typename T>
Constant array(DType dtype, std::vector<int64_t> dims, const std::vector<T>& values) {
  return make_constant(dtype, dims, std::as_bytes(std::span(values)));
}
inline Constant floats(std::vector<int64_t> dims, const std::vector<float>& values) {
  return array(DType::f32, std::move(dims), values);
}
inline Constant bytes(std::vector<int64_t> dims, const std::vector<uint8_t>& values) {
  return array(DType::u8, std::move(dims), values);
}

template <typename T>
std::vector<T> values_of(const Constant& constant) {
  const Constant dense = densify(constant.view);
  return {dense.view.as<const T>(), dense.view.as<const T>() + dense.view.elements()};
}

inline std::vector<Constant> run_text(std::string_view text, const std::vector<Constant>& inputs) {
  std::vector<TensorView> views;
  for (const Constant& input : inputs) views.push_back(input.view);
  auto results = evaluate(parse(text), views);
  EXPECT_TRUE(results.has_value()) << (results ? "" : results.error().message);
  return results ? *std::move(results) : std::vector<Constant>(8);
}

}  // namespace memline::test
