// Engine: a compiled model: target, program, weights. Immutable; sessions share it.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "base/mapping.h"
#include "engine/program.h"

namespace memline::engine {

class Engine {
 public:
  // weights: page-aligned bytes of the weights region, valid as long as `owner` (a mapped file, locked memory, or a
  // buffer).
  Engine(std::string target, Program program, std::span<const std::byte> weights, std::shared_ptr<const void> owner)
      : target_(std::move(target)), program_(std::move(program)), weights_(weights), owner_(std::move(owner)) {}

  const std::string& target() const { return target_; }  // "cpu avx2"
  const Program& program() const { return program_; }
  std::span<const std::byte> weights() const { return weights_; }

 private:
  std::string target_;
  Program program_;
  std::span<const std::byte> weights_;
  std::shared_ptr<const void> owner_;
};

}  // namespace memline::engine
