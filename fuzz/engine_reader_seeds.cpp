// Writes the seed corpus of engine_reader into the folder given: run it again when the format version changes.
#include <cstdio>
#include <fstream>
#include <string>

#include "engine/file.h"
#include "support/program_builder.h"

namespace {

using namespace memline;

void save(const std::string& path, char kind, std::string_view bytes) {
  std::ofstream file(path, std::ios::binary);
  file.put(kind);
  file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

std::string tables(const engine::Program& program) {
  const auto bytes = engine::encode(program);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::string file(const engine::Program& program, const std::string& scratch) {
  const std::vector<std::byte> weights(static_cast<size_t>(program.weights_bytes), std::byte{7});
  const Status status =
      engine::write_file(scratch, "cpu avx2", program, [&](engine::WeightSink& sink) { return sink.append(weights); });
  if (!status) std::fprintf(stderr, "%s\n", status.error().message.c_str());
  std::ifstream stream(scratch, std::ios::binary);
  std::string bytes{std::istreambuf_iterator<char>(stream), {}};
  std::remove(scratch.c_str());
  return bytes;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const std::string folder = argv[1];
  const engine::Program sample = testing::sample_program(), chain = testing::long_program(3);
  save(folder + "/sample.tables", 0, tables(sample));
  save(folder + "/chain.tables", 0, tables(chain));
  save(folder + "/sample.file", 1, file(sample, folder + "/scratch"));
  save(folder + "/sample.repaired", 2, file(sample, folder + "/scratch"));
  return 0;
}
