#include "engine/checksum.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace memline::engine {

uint64_t checksum_avx2(std::span<const std::byte> bytes);  // checksum_avx2.cpp

struct RunningChecksum::State {
  XXH3_state_t xxh3;
};

uint64_t checksum(std::span<const std::byte> bytes) {
  return __builtin_cpu_supports("avx2") ? checksum_avx2(bytes) : XXH3_64bits(bytes.data(), bytes.size());
}

RunningChecksum::RunningChecksum() : state_(std::make_unique<State>()) { XXH3_64bits_reset(&state_->xxh3); }
RunningChecksum::~RunningChecksum() = default;
void RunningChecksum::add(std::span<const std::byte> bytes) {
  XXH3_64bits_update(&state_->xxh3, bytes.data(), bytes.size());
}
uint64_t RunningChecksum::value() const { return XXH3_64bits_digest(&state_->xxh3); }

}  // namespace memline::engine
