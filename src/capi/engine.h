// What stands behind memline_engine*: the engine, and its ports as C sees them.
#pragma once

#include <string>
#include <vector>

#include "memline/memline.h"
#include "memline/memline.hpp"

struct memline_engine {
  explicit memline_engine(memline::Engine loaded);

  memline::Engine engine;
  std::string target;
  std::vector<memline_port> inputs, outputs;  // they point into `engine`
};
