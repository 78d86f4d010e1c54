// XXH3, 64 bits: fast enough that checking weights costs no more than reading them. It finds accidents, not forgeries.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace memline::engine {

uint64_t checksum(std::span<const std::byte> bytes);

// The same over bytes that come in pieces.
class RunningChecksum {
 public:
  RunningChecksum();
  ~RunningChecksum();
  void add(std::span<const std::byte> bytes);
  uint64_t value() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace memline::engine
