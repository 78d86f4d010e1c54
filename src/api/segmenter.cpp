// vision.hpp's Segmenter: an engine built with --task segment, its outputs as objects.
#include <cmath>

#include "api/class_names.h"
#include "api/engine.h"
#include "base/result.h"
#include "memline/vision.hpp"

namespace memline::vision {

struct Segmenter::Impl {
  Engine engine;
  Session session;
  std::vector<TensorRef> inputs, outputs;
  std::vector<Object> objects;
  std::vector<LayerTime> layers;
  std::vector<uint8_t> stage;  // by step: 0 before the network, 1 in it, 2 behind it
  Times times;
  std::vector<std::string> class_names;
};

namespace {

enum Output : size_t { kBoxes, kScores, kClasses, kRuns, kFirstRun, kTruncated, kOutputs };

// Which steps the task put before and behind the network.
std::vector<uint8_t> stages(const engine::Program& program) {
  std::vector<uint8_t> stage;
  for (const engine::Step& step : program.blocks[0].steps) {
    const bool before = step.call.starts_with("memline.ImageToTensor(");
    const bool behind = step.call.starts_with("memline.Yolo8Select(") || step.call.starts_with("memline.MaskRuns(");
    stage.push_back(before ? 0 : behind ? 2 : 1);
  }
  return stage;
}

void collect(Segmenter::Impl& impl) {
  const auto& out = impl.outputs;
  const auto* boxes = static_cast<const float*>(out[kBoxes].data);
  const auto* scores = static_cast<const float*>(out[kScores].data);
  const auto* classes = static_cast<const int32_t*>(out[kClasses].data);
  const auto* runs = static_cast<const uint32_t*>(out[kRuns].data);
  const auto* first = static_cast<const int64_t*>(out[kFirstRun].data);
  const auto* truncated = static_cast<const uint8_t*>(out[kTruncated].data);
  impl.objects.resize(static_cast<size_t>(out[kScores].dims[0]));
  for (size_t k = 0; k < impl.objects.size(); ++k) {
    Object& o = impl.objects[k];
    const float* box = boxes + 4 * k;
    o = {.x0 = box[0], .y0 = box[1], .x1 = box[2], .y1 = box[3], .score_0to1 = scores[k], .class_id = classes[k]};
    o.mask.x0 = static_cast<int64_t>(o.x0);
    o.mask.y0 = static_cast<int64_t>(o.y0);
    o.mask.width = static_cast<int64_t>(std::ceil(o.x1)) - o.mask.x0;
    o.mask.height = static_cast<int64_t>(std::ceil(o.y1)) - o.mask.y0;
    o.mask.runs = {runs + first[k], static_cast<size_t>(first[k + 1] - first[k])};
    o.mask_truncated = truncated[k] != 0;
  }
}

}  // namespace

Segmenter::Segmenter(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Segmenter::Segmenter(Segmenter&&) noexcept = default;
Segmenter& Segmenter::operator=(Segmenter&&) noexcept = default;
Segmenter::~Segmenter() = default;

Result<Segmenter> Segmenter::load(const std::string& path, const SessionOptions& options) {
  MEML_TRY(Engine engine, Engine::load(path));
  const auto task = engine.about().find("model.memline.task");
  if (task == engine.about().end() || task->second != "segment" || engine.outputs().size() != kOutputs)
    return invalid_argument("engine '{}' has no segmentation task: build it with --task segment", path);
  MEML_TRY(Session session, engine.make_session(options));
  const engine::Program& program = engine.impl().engine->program();
  std::vector<uint8_t> stage = stages(program);
  auto impl =
      std::make_unique<Impl>(Impl{std::move(engine), std::move(session), {}, {}, {}, {}, std::move(stage), {}, {}});
  if (const auto names = impl->engine.about().find("model.names"); names != impl->engine.about().end())
    impl->class_names = api::parse_class_names(names->second);
  impl->inputs.resize(1);
  impl->outputs.resize(kOutputs);
  impl->layers.resize(impl->stage.size());
  impl->objects.reserve(static_cast<size_t>(impl->engine.outputs()[kScores].max_dims[0]));
  return Segmenter(std::move(impl));
}

Result<std::span<const Object>> Segmenter::segment(const Picture& picture) {
  Impl& impl = *impl_;
  impl.inputs[0] = TensorRef(DType::u8, const_cast<uint8_t*>(picture.pixels), {picture.height, picture.width, 3});
  for (TensorRef& output : impl.outputs) output = {};
  MEML_TRY_STATUS(impl.session.run_profiled(impl.inputs, impl.outputs, impl.layers));
  double sums[3] = {};
  for (const LayerTime& layer : impl.layers)
    sums[impl.stage[static_cast<size_t>(layer.step)]] += static_cast<double>(layer.nanoseconds) / 1e6;
  impl.times = {sums[0], sums[1], sums[2]};
  collect(impl);
  return std::span<const Object>(impl.objects);
}

Segmenter::Times Segmenter::times() const { return impl_->times; }
std::span<const std::string> Segmenter::class_names() const { return impl_->class_names; }
const Engine& Segmenter::engine() const { return impl_->engine; }

}  // namespace memline::vision
