// Where the input of a view must lie so that one of its outputs lies at a given placement.
#pragma once

#include <optional>

#include "choose/menu.h"

namespace memline {

// The InferContext that an op's view functions need, made from a call.
class CallContext {
 public:
  explicit CallContext(const OpCall& call);
  const ops::InferContext& infer() const { return *context_; }

 private:
  std::vector<ops::InferInput> inputs_;
  std::vector<std::optional<std::vector<DimExpr>>> integers_;
  std::optional<ops::InferContext> context_;
};

bool same_placement(const ops::Placement& a, const ops::Placement& b, const std::vector<DimExpr>& dims);

std::optional<ops::Placement> inverse_view(const MenuNode& view, size_t output, const ops::Placement& wanted);

}  // namespace memline
