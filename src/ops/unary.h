// Attributes of the unary elementwise ops that have some. Names and defaults are ONNX's.
#pragma once

#include <string>

#include "ops/attrs.h"

namespace memline::ops {

struct LeakyReluAttrs {
  float alpha = 0.01f;
  void fields(auto&& field) { field("alpha", alpha); }
};
struct EluAttrs {
  float alpha = 1;
  void fields(auto&& field) { field("alpha", alpha); }
};
struct CeluAttrs {
  float alpha = 1;
  void fields(auto&& field) { field("alpha", alpha); }
};
struct ThresholdedReluAttrs {
  float alpha = 1;
  void fields(auto&& field) { field("alpha", alpha); }
};
struct SeluAttrs {
  float alpha = 1.67326319217681884765625f, gamma = 1.05070102214813232421875f;
  void fields(auto&& field) { field("alpha", alpha), field("gamma", gamma); }
};
struct HardSigmoidAttrs {
  float alpha = 0.2f, beta = 0.5f;
  void fields(auto&& field) { field("alpha", alpha), field("beta", beta); }
};
struct GeluAttrs {
  std::string approximate = "none";  // or "tanh"
  void fields(auto&& field) { field("approximate", approximate); }
};
struct IsInfAttrs {
  bool detect_negative = true, detect_positive = true;
  void fields(auto&& field) { field("detect_negative", detect_negative), field("detect_positive", detect_positive); }
};

}  // namespace memline::ops
