// The list of operators. registry.cpp declares and lists them, one line an op.
#pragma once

#include <span>
#include <string_view>

#include "ops/op.h"

namespace memline::ops {

std::span<const OpDef> all();
// nullptr when there is none. domain "" and "ai.onnx" are the same.
const OpDef* find(std::string_view name, std::string_view domain = "");

}  // namespace memline::ops
