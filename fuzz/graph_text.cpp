// Fuzz target: the text form of graphs. What parses prints as text that parses to the same text again.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "graph/text.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace memline;
  constexpr size_t kMostBytes = 4096;
  if (size > kMostBytes) return 0;
  const auto graph = parse_graph({reinterpret_cast<const char*>(data), size});
  if (!graph) {
    if (graph.error().code == Code::internal) std::abort();
    return 0;
  }
  const std::string once = print(*graph);
  const auto again = parse_graph(once);
  if (!again || print(*again) != once) std::abort();
  return 0;
}
