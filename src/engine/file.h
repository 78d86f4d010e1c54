// The engine file: header, table of sections (kind, offset, plain size, stored size, codec, checksum), tables,
// page-aligned weights. Byte-exact function of (target, program, weights): no time, no path, no hash-order.
// docs/engine_format.md has the layout. The reader trusts nothing: sizes, offsets, counts, enum values, strings and
// operand bounds are all checked before use. Errors of the reader: not_found, io_error; invalid_argument with reason
// engine_not_ours (no magic), engine_version (names both and the rebuild command), engine_truncated (found and needed
// bytes), engine_corrupt (which section; checksum or structure). The weights' checksum finds accidents, not forgeries.
// A file that is overwritten in place while it is mapped ends the process (SIGBUS); write_file never does that. The
// target is checked by whoever loads it into a backend (reason engine_target).
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "engine/engine.h"

namespace memline::engine {

// Writes to a temporary file beside `path`, syncs, and renames: a failure (reasons disk_full, no_permission) leaves
// nothing behind. `weights` is called once with a sink and must produce exactly program.weights_bytes bytes in order:
// they are never all in memory.
class WeightSink {
 public:
  virtual ~WeightSink() = default;
  virtual Status append(std::span<const std::byte> bytes) = 0;
};
Status write_file(const std::string& path, const std::string& target, const Program& program,
                  const std::function<Status(WeightSink&)>& weights);

// Maps the file. `verify_weights`: check the weights' checksum too (reads every page once).
Result<std::shared_ptr<const Engine>> read_file(const std::string& path, bool verify_weights = true);
// The same from bytes that stay valid as long as `owner` and begin at a multiple of 64 in memory.
Result<std::shared_ptr<const Engine>> read_bytes(std::span<const std::byte> bytes, std::shared_ptr<const void> owner,
                                                 bool verify_weights = true);

// The tables alone, as they are stored: what `inspect` and the fuzzer use.
std::vector<std::byte> encode(const Program& program);
Result<Program> decode(std::span<const std::byte> bytes);

}  // namespace memline::engine
