// The attributes of DepthToSpace and SpaceToDepth.
#pragma once

#include <string>

#include "ops/op.h"

namespace memline::ops {

struct DepthToSpaceAttrs {
  int64_t blocksize = 0;     // required
  std::string mode = "DCR";  // channels are [block row, block column, channel]; CRD: [channel, block row, block column]

  void fields(auto&& field) {
    field("blocksize", blocksize);
    field("mode", mode);
  }
};

}  // namespace memline::ops
