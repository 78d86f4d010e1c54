// tools.hpp: RandomShapes over runtime/shape_source.h.
#include "api/engine.h"
#include "memline/tools.hpp"
#include "runtime/shape_source.h"

namespace memline::tools {

struct RandomShapes::Impl {
  std::shared_ptr<const engine::Engine> engine;
  runtime::ShapeSource source;
};

Result<RandomShapes> RandomShapes::create(const Engine& engine, uint64_t seed) {
  const std::shared_ptr<const engine::Engine>& inner = engine.impl().engine;
  MEML_TRY(runtime::ShapeSource source, runtime::ShapeSource::create(inner->program(), seed));
  return RandomShapes(std::make_unique<Impl>(Impl{inner, std::move(source)}));
}

Status RandomShapes::next() { return impl_->source.next(); }
std::span<const int64_t> RandomShapes::dims(size_t input) const { return impl_->source.dims(input); }

RandomShapes::RandomShapes(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
RandomShapes::RandomShapes(RandomShapes&&) noexcept = default;
RandomShapes& RandomShapes::operator=(RandomShapes&&) noexcept = default;
RandomShapes::~RandomShapes() = default;

}  // namespace memline::tools
