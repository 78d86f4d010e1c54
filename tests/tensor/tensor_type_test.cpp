#include "tensor/tensor_type.h"

#include <gtest/gtest.h>

namespace memline {
namespace {

TEST(TensorType, ReadsBackFromItsText) {
  const DimExpr batch = DimExpr::slot(0), height = DimExpr::slot(1);
  for (const TensorType& type :
       {TensorType{DType::f32, {1, 3, 640, 640}}, TensorType{DType::i64, {}}, TensorType{DType::boolean, {0}},
        TensorType{DType::bf16, {batch, 3, ceil_div(height, 32), min(batch, 4)}}}) {
    const auto parsed = TensorType::parse(type.text());
    ASSERT_TRUE(parsed) << type.text();
    EXPECT_EQ(*parsed, type) << type.text();
  }
  EXPECT_EQ((TensorType{DType::f32, {batch, 4}}.text()), "f32[s0,4]");
  EXPECT_EQ((TensorType{DType::i64, {}}.text()), "i64[]");
}

TEST(TensorType, RefusesTextThatIsNotAType) {
  for (const char* text :
       {"", "f32", "f32[", "f33[1]", "f32[1,]", "f32[-1]", "f32[,]", "f32[1]x", "f32[1,1,1,1,1,1,1,1,1]"})
    EXPECT_EQ(TensorType::parse(text).error().code, Code::invalid_argument) << text;
}

}  // namespace
}  // namespace memline
