#include "onnx/input_shapes.h"

#include <fmt/format.h>

#include <algorithm>

#include "onnx/tensor_data.h"

namespace memline::onnx {
namespace {

std::string dims_text(const ValueInfoMessage& input) {
  if (!input.dims) return "any rank";
  std::string text = "[";
  for (const DimensionMessage& dim : *input.dims) {
    if (text.size() > 1) text += ",";
    if (dim.value)
      text += std::to_string(*dim.value);
    else
      text += dim.parameter.empty() ? "?" : dim.parameter;
  }
  return text + "]";
}

// "images=1x3x640x640": open dimensions take usual numbers.
std::string example(const ValueInfoMessage& input) {
  if (!input.dims) return fmt::format("--shape {}=1x3x640x640", input.name);
  std::string text;
  for (size_t i = 0; i < input.dims->size(); ++i) {
    const DimensionMessage& dim = (*input.dims)[i];
    const int64_t usual = i == 0 ? 1 : i == 1 ? 3 : 640;
    text += (text.empty() ? "" : "x") + std::to_string(dim.value.value_or(usual));
  }
  return fmt::format("--shape {}={}", input.name, text);
}

// min:opt:max of one dimension.
struct Extent {
  int64_t min, opt, max;
  bool operator==(const Extent&) const = default;
  std::string text() const { return min == max ? std::to_string(min) : fmt::format("{}:{}:{}", min, opt, max); }
};

struct Bound {
  Extent extent;
  DimExpr dim;
};

class Resolver {
 public:
  Resolver(const ImportOptions& options, GraphBuilder& builder) : options_(options), builder_(builder) {}

  Result<TensorType> given(const ValueInfoMessage& input, const ShapeRange& shape) {
    MEML_TRY_STATUS(check_lists(input, shape));
    MEML_TRY(TensorType type, element(input));
    for (size_t i = 0; i < shape.min.size(); ++i) {
      const Extent extent{shape.min[i], shape.opt[i], shape.max[i]};
      if (extent.min < 0 || extent.min > extent.opt || extent.opt > extent.max)
        return invalid_argument("input '{}': dimension {} has the range {}, needs 0 <= min <= opt <= max", input.name,
                                i, extent.text());
      const DimensionMessage dim = input.dims ? (*input.dims)[i] : DimensionMessage{};
      if (dim.value && !(extent == Extent{*dim.value, *dim.value, *dim.value}))
        return invalid_argument("input '{}': dimension {} is {} in the model, but {} was given", input.name, i,
                                *dim.value, extent.text());
      MEML_TRY(DimExpr expression, bind(input, i, dim.parameter, extent));
      type.dims.push_back(std::move(expression));
    }
    return type;
  }

  // Without a shape of its own: numbers, and names that another input's shape has bound. Nullopt when something stays
  // open.
  Result<std::optional<TensorType>> from_model(const ValueInfoMessage& input) {
    MEML_TRY(TensorType type, element(input));
    if (!input.dims) return std::nullopt;
    for (const DimensionMessage& dim : *input.dims) {
      if (dim.value && *dim.value < 0)
        return invalid_model("input '{}' has the shape {}, with a negative dimension", input.name, dims_text(input));
      const auto bound = bound_.find(std::string(dim.parameter));
      if (dim.value)
        type.dims.emplace_back(*dim.value);
      else if (!dim.parameter.empty() && bound != bound_.end())
        type.dims.push_back(bound->second.dim);
      else
        return std::nullopt;
    }
    return std::optional(std::move(type));
  }

 private:
  static Result<TensorType> element(const ValueInfoMessage& input) {
    if (!input.is_tensor) return unsupported("input '{}' is no tensor", input.name);
    const auto dtype = element_type(input.element_type);
    if (!dtype) return unsupported("input '{}' has elements of {}", input.name, element_type_name(input.element_type));
    if (input.dims && input.dims->size() > static_cast<size_t>(kMaxRank))
      return unsupported("input '{}' has {} dimensions, at most {} are handled", input.name, input.dims->size(),
                         kMaxRank);
    return TensorType{.dtype = *dtype};
  }

  static Status check_lists(const ValueInfoMessage& input, const ShapeRange& shape) {
    const size_t rank = input.dims ? input.dims->size() : shape.opt.size();
    if (shape.min.size() != shape.opt.size() || shape.max.size() != shape.opt.size())
      return invalid_argument("input '{}': min, opt and max have {}, {} and {} dimensions", input.name,
                              shape.min.size(), shape.opt.size(), shape.max.size());
    if (shape.opt.size() != rank || rank > static_cast<size_t>(kMaxRank))
      return invalid_argument("input '{}' has the shape {}, but {} dimensions were given", input.name, dims_text(input),
                              shape.opt.size());
    return {};
  }

  Result<DimExpr> bind(const ValueInfoMessage& input, size_t axis, std::string_view parameter, const Extent& extent) {
    const auto bound = bound_.find(std::string(parameter));
    if (!parameter.empty() && bound != bound_.end()) {
      if (bound->second.extent == extent) return bound->second.dim;
      return invalid_argument("input '{}': dimension {} ('{}') is given as {}, but elsewhere as {}", input.name, axis,
                              parameter, extent.text(), bound->second.extent.text());
    }
    DimExpr dim = extent.min;
    if (extent.min != extent.max) {
      const std::string name = parameter.empty() ? std::to_string(axis) : std::string(parameter);
      dim = builder_.add_slot(fmt::format("{}.{}", input.name, name), {extent.min, extent.max}, extent.opt);
    }
    if (!parameter.empty()) bound_.emplace(parameter, Bound{extent, dim});
    return dim;
  }

  const ImportOptions& options_;
  GraphBuilder& builder_;
  std::map<std::string, Bound> bound_;
};

Status check_names(std::span<const ValueInfoMessage* const> inputs, const ImportOptions& options) {
  for (const auto& [name, shape] : options.shapes) {
    const auto is_named = [&name = name](const ValueInfoMessage* input) { return input->name == name; };
    if (std::any_of(inputs.begin(), inputs.end(), is_named)) continue;
    std::string all;
    for (const ValueInfoMessage* input : inputs) all += fmt::format("{}'{}'", all.empty() ? "" : ", ", input->name);
    return invalid_argument("there is no input '{}' to give a shape to; the model has {}", name,
                            all.empty() ? "none" : all);
  }
  return {};
}

}  // namespace

Result<std::vector<TensorType>> resolve_inputs(std::span<const ValueInfoMessage* const> inputs,
                                               const ImportOptions& options, GraphBuilder& builder) {
  MEML_TRY_STATUS(check_names(inputs, options));
  Resolver resolver(options, builder);
  std::vector<TensorType> types(inputs.size());
  for (size_t i = 0; i < inputs.size(); ++i) {
    const auto shape = options.shapes.find(std::string(inputs[i]->name));
    if (shape == options.shapes.end()) continue;
    MEML_TRY(types[i], resolver.given(*inputs[i], shape->second));
  }
  std::string open, examples;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (options.shapes.contains(std::string(inputs[i]->name))) continue;
    MEML_TRY(std::optional<TensorType> type, resolver.from_model(*inputs[i]));
    if (type) {
      types[i] = *std::move(type);
      continue;
    }
    open += fmt::format("{}input '{}' {}", open.empty() ? "" : ", ", inputs[i]->name, dims_text(*inputs[i]));
    examples += " " + example(*inputs[i]);
  }
  if (!open.empty())
    return invalid_argument("dimensions are left open: {}; give shapes, for example{} (or a range MIN:OPT:MAX)", open,
                            examples);
  return types;
}

}  // namespace memline::onnx
