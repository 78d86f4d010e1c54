// Runs an engine on a ramp of numbers, as a service would: everything is taken once, then the loop holds what it held.
//   run_engine ENGINE.mline [RUNS]
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "memline/memline.hpp"

namespace {

// The same numbers as run_engine.c: (i mod 256) / 256 for floats, i mod 256 for bytes, 0 for the rest.
void fill(const memline::TensorRef& input) {
  int64_t elements = 1;
  for (int32_t axis = 0; axis < input.rank; ++axis) elements *= input.dims[static_cast<size_t>(axis)];
  for (int64_t i = 0; i < elements; ++i) {
    if (input.dtype == memline::DType::f32) static_cast<float*>(input.data)[i] = static_cast<float>(i % 256) / 256;
    if (input.dtype == memline::DType::u8) static_cast<uint8_t*>(input.data)[i] = static_cast<uint8_t>(i % 256);
  }
}

int run(const char* path, long runs) {
  const memline::Engine engine = memline::or_throw(memline::Engine::load(path));
  std::printf("%s, %d threads, %lld bytes in all\n", engine.target().c_str(), engine.threads(),
              static_cast<long long>(engine.bill().total_bytes));
  memline::Session session = memline::or_throw(engine.make_session());

  std::vector<memline::TensorRef> inputs, outputs(engine.outputs().size());
  for (size_t i = 0; i < engine.inputs().size(); ++i)
    inputs.push_back(memline::or_throw(session.own_input(i, engine.inputs()[i].opt_dims)));
  for (long n = 0; n < runs; ++n) {
    for (const memline::TensorRef& input : inputs) fill(input);                  // a run may have written over them
    for (memline::TensorRef& output : outputs) output = {};                      // the session's own memory, please
    if (const memline::Status status = session.run(inputs, outputs); !status) {  // one request failed; the next may not
      std::fprintf(stderr, "%s\n", status.error().message.c_str());
      return static_cast<int>(status.error().code);
    }
  }

  for (size_t i = 0; i < outputs.size(); ++i) {
    std::printf("%s", engine.outputs()[i].name.c_str());
    for (int32_t axis = 0; axis < outputs[i].rank; ++axis)
      std::printf("%c%lld", axis == 0 ? ' ' : 'x', static_cast<long long>(outputs[i].dims[static_cast<size_t>(axis)]));
    if (outputs[i].dtype == memline::DType::f32)
      std::printf(" %.6g", static_cast<double>(*static_cast<const float*>(outputs[i].data)));
    std::printf("\n");
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: run_engine ENGINE.mline [RUNS]\n");
    return 2;
  }
  try {
    return run(argv[1], argc > 2 ? std::atol(argv[2]) : 1);
  } catch (const memline::Exception& exception) {
    std::fprintf(stderr, "%s\n", exception.what());
    return static_cast<int>(exception.error().code);
  }
}
