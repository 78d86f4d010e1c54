// Times convolution tactics over lists of layers (bench/shapes/*.convs: in NCHW, out NCHW, kernel, strides, pads,
// groups, dilations), bias and SiLU fused, in turn with oneDNN on the same layer where it was built in.
//   bench_conv [--threads N] [--level L] [--tactic PREFIX] [--repeats N] [--plain] [--cpu-time] [--bf16] FILE...
// --bf16: activations in bf16 (the stem's input stays f32), without oneDNN.
// The tactic of a layer is the first of the list whose name begins with PREFIX and that takes it. A time is the fastest
// of the repeats, which other work on the machine disturbs least; ratio = ours / oneDNN.
#include <fmt/core.h>
#include <time.h>

#include <algorithm>
#include <atomic>
#include <fstream>
#include <map>
#include <optional>
#include <random>
#include <thread>

#ifdef MEMLINE_ONEDNN
#include <omp.h>

#include <dnnl.hpp>
#endif

#include "base/mapping.h"
#include "cpu/tactics.h"
#include "ops/conv.h"
#include "ops/registry.h"
#include "tensor/half.h"

namespace {

using namespace memline;
// Wall time; or processor time of the calling thread, which other work on the machine does not lengthen (--cpu-time,
// one thread).
clockid_t clock_kind = CLOCK_MONOTONIC;

double now_ms() {
  timespec t;
  clock_gettime(clock_kind, &t);
  return static_cast<double>(t.tv_sec) * 1e3 + static_cast<double>(t.tv_nsec) * 1e-6;
}

// Threads that spin for work, as a session's pool does within a step.
class Spinning final : public Parallel {
 public:
  explicit Spinning(int threads) {
    for (int i = 1; i < threads; ++i) threads_.emplace_back([this, i] { loop(i); });
  }
  ~Spinning() {
    stop_ = true;
    ++round_;
    for (std::thread& thread : threads_) thread.join();
  }
  int width() const noexcept override { return static_cast<int>(threads_.size()) + 1; }
  void run(int64_t count, Task task, void* context) noexcept override {
    count_ = count;
    task_ = task;
    context_ = context;
    next_ = 0;
    done_ = 0;
    ++round_;
    work(0);
    while (done_ != static_cast<int>(threads_.size())) __builtin_ia32_pause();
  }

 private:
  void work(int participant) noexcept {
    for (int64_t i; (i = next_++) < count_;) task_(context_, i, participant);
  }
  void loop(int participant) {
    for (int seen = 0;;) {
      while (round_ == seen) __builtin_ia32_pause();
      ++seen;
      if (stop_) return;
      work(participant);
      ++done_;
    }
  }
  std::vector<std::thread> threads_;
  std::atomic<int> round_ = 0, done_ = 0;
  std::atomic<int64_t> next_ = 0;
  std::atomic<bool> stop_ = false;
  int64_t count_ = 0;
  Task task_ = nullptr;
  void* context_ = nullptr;
};

struct Layer {
  int64_t n, ic, ih, iw, on, oc, oh, ow, kh, kw, sh, sw, pt, pl, pb, pr, group, dh, dw;
  auto operator<=>(const Layer&) const = default;
  double flops() const { return 2.0 * static_cast<double>(n * oc * oh * ow * (ic / group) * kh * kw); }
};

std::map<Layer, int> read_layers(const std::string& path) {
  std::ifstream file(path);
  std::map<Layer, int> layers;
  int64_t v[19];
  for (;;) {
    for (int64_t& x : v)
      if (!(file >> x)) return layers;
    ++layers[{v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7], v[8], v[9], v[10], v[11], v[12], v[13], v[14], v[15],
              v[16], v[17], v[18]}];
  }
}

std::vector<float> random_floats(int64_t n, float scale, uint32_t seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> uniform(-scale, scale);
  std::vector<float> values(static_cast<size_t>(n));
  for (float& x : values) x = uniform(random);
  return values;
}

// Our side: the layer as a call, the tactic that takes it, its kernel and memory.
class Ours {
 public:
  Ours(const Layer& l, std::span<const std::unique_ptr<Tactic>> tactics, std::string_view prefix, Parallel& parallel,
       bool silu, DType dtype)
      : parallel_(parallel),
        x_(random_floats(l.n * l.ic * l.ih * l.iw, 1, 1)),
        w_(random_floats(l.oc * l.ic / l.group * l.kh * l.kw, 0.05f, 2)),
        bias_(random_floats(l.oc, 0.5f, 3)),
        y_(static_cast<size_t>(l.n * l.oc * l.oh * l.ow)) {
    x_lines_ = *Pages::take(4 * static_cast<int64_t>(x_.size()) + 64);
    y_lines_ = *Pages::take(4 * static_cast<int64_t>(y_.size()) + 64);
    ops::ConvAttrs attrs;
    attrs.strides = {l.sh, l.sw};
    attrs.pads = {l.pt, l.pl, l.pb, l.pr};
    attrs.dilations = {l.dh, l.dw};
    attrs.group = l.group;
    call_.op = ops::find("Conv");
    call_.attrs = ops::Attrs::of(attrs);
    const bool stem = l.ic <= 4;  // the model's input lies row-major
    const bool x_is_bf16 = dtype == DType::bf16 && !stem;
    add(call_.in, {l.n, l.ic, l.ih, l.iw}, x_is_bf16 ? DType::bf16 : DType::f32, x_lines_.bytes().data(), !stem, false);
    for (size_t i = 0; i < x_.size(); ++i)
      if (x_is_bf16)
        views_[0].as<uint16_t>()[i] = f32_to_bf16(x_[i]);
      else
        views_[0].as<float>()[i] = x_[i];
    add(call_.in, {l.oc, l.ic / l.group, l.kh, l.kw}, DType::f32, w_.data(), false, true);
    add(call_.in, {l.oc}, DType::f32, bias_.data(), false, true);
    call_.base_inputs = 3;
    add(call_.out, {l.n, l.oc, l.oh, l.ow}, dtype, y_lines_.bytes().data(), true, false);
    if (silu) call_.epilogues = {{.kind = ops::EpilogueKind::silu}};
    for (const auto& tactic : tactics)
      if (!tactic_ && tactic->name().starts_with(prefix) && tactic->supports(call_)) tactic_ = tactic.get();
    if (!tactic_) return;
    packed_ = *Pages::take(tactic_->packed_bytes(call_) + 64);
    const auto packed = packed_.bytes().first(static_cast<size_t>(tactic_->packed_bytes(call_)));
    (void)tactic_->pack(call_, packed);
    kernel_ = *tactic_->make(call_, packed);
    scratch_ = *Pages::take(tactic_->workspace(call_, parallel.width()).total(parallel.width()) + 64);
  }
  bool takes() const { return tactic_ != nullptr; }
  std::string_view tactic() const { return tactic_->name(); }
  double run() {
    const int64_t rows = views_.back().dim(2);
    const double start = now_ms();
    (void)kernel_->run({.in = std::span(views_).first(3),
                        .out = std::span(views_).last(1),
                        .rows = {0, rows},
                        .workspace = scratch_.bytes(),
                        .parallel = &parallel_});
    return now_ms() - start;
  }
  const std::vector<float>& x() const { return x_; }
  const std::vector<float>& w() const { return w_; }
  const std::vector<float>& bias() const { return bias_; }
  const std::vector<float>& y() {  // f32 only
    std::copy_n(views_.back().as<const float>(), y_.size(), y_.begin());
    return y_;
  }

 private:
  void add(std::vector<CallOperand>& list, std::vector<int64_t> dims, DType dtype, void* data, bool channels_last,
           bool constant) {
    CallOperand operand{.max_dims = dims, .is_constant = constant};
    operand.type.dtype = dtype;
    for (const int64_t d : dims) operand.type.dims.emplace_back(d);
    const int rank = static_cast<int>(dims.size());
    operand.order = channels_last ? AxisOrder::channels_last(rank) : AxisOrder::row_major(rank);
    TensorView view = dense_view(dtype, data, dims);
    view.set_dense(operand.order);
    if (constant) operand.value = view;
    views_.push_back(view);
    list.push_back(std::move(operand));
  }
  Parallel& parallel_;
  std::vector<float> x_, w_, bias_, y_;
  Pages x_lines_, y_lines_;  // as in an arena: 64-byte aligned
  std::vector<TensorView> views_;
  OpCall call_;
  const Tactic* tactic_ = nullptr;
  Pages packed_, scratch_;
  std::unique_ptr<Kernel> kernel_;
};

#ifdef MEMLINE_ONEDNN
class OneDnn {
 public:
  OneDnn(const Layer& l, const Ours& ours, bool silu)
      : layer_(l), engine_(dnnl::engine::kind::cpu, 0), stream_(engine_) {
    using Format = dnnl::memory::format_tag;
    const auto f32 = dnnl::memory::data_type::f32;
    const dnnl::memory::dims x{l.n, l.ic, l.ih, l.iw}, y{l.n, l.oc, l.oh, l.ow};
    const auto w = l.group == 1 ? dnnl::memory::dims{l.oc, l.ic, l.kh, l.kw}
                                : dnnl::memory::dims{l.group, l.oc / l.group, l.ic / l.group, l.kh, l.kw};
    dnnl::primitive_attr attributes;
    attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
    if (silu) {
      dnnl::post_ops post;
      post.append_eltwise(dnnl::algorithm::eltwise_swish, 1, 0);
      attributes.set_post_ops(post);
    }
    const dnnl::convolution_forward::primitive_desc d(
        engine_, dnnl::prop_kind::forward_inference, dnnl::algorithm::convolution_auto, {x, f32, Format::any},
        {w, f32, Format::any}, {{l.oc}, f32, Format::a}, {y, f32, Format::any}, {l.sh, l.sw}, {l.dh - 1, l.dw - 1},
        {l.pt, l.pl}, {l.pb, l.pr}, attributes);
    primitive_ = dnnl::convolution_forward(d);
    info_ = d.impl_info_str();
    x_ = dnnl::memory(d.src_desc(), engine_);
    w_ = dnnl::memory(d.weights_desc(), engine_);
    bias_ = dnnl::memory(d.bias_desc(), engine_);
    y_ = dnnl::memory(d.dst_desc(), engine_);
    scratch_ = dnnl::memory(d.scratchpad_desc(), engine_);
    reorder({x, f32, l.ic <= 4 ? Format::nchw : Format::nhwc}, ours.x().data(), x_);
    reorder({w, f32, l.group == 1 ? Format::oihw : Format::goihw}, ours.w().data(), w_);
    reorder({{l.oc}, f32, Format::a}, ours.bias().data(), bias_);
  }
  double run() {
    const double start = now_ms();
    primitive_.execute(stream_, {{DNNL_ARG_SRC, x_},
                                 {DNNL_ARG_WEIGHTS, w_},
                                 {DNNL_ARG_BIAS, bias_},
                                 {DNNL_ARG_DST, y_},
                                 {DNNL_ARG_SCRATCHPAD, scratch_}});
    stream_.wait();
    return now_ms() - start;
  }
  // Largest difference to our result, as a part of the largest magnitude.
  double difference(Ours& ours) {
    const Layer& l = layer_;
    const std::vector<float>& own = ours.y();
    std::vector<float> y(own.size());
    dnnl::memory plain({{l.n, l.oc, l.oh, l.ow}, dnnl::memory::data_type::f32, dnnl::memory::format_tag::nhwc}, engine_,
                       y.data());
    dnnl::reorder(y_, plain).execute(stream_, y_, plain);
    stream_.wait();
    double largest = 0, difference = 0;
    for (size_t i = 0; i < y.size(); ++i) {
      largest = std::max(largest, static_cast<double>(std::abs(y[i])));
      difference = std::max(difference, static_cast<double>(std::abs(y[i] - own[i])));
    }
    return difference / largest;
  }
  const std::string& info() const { return info_; }

 private:
  void reorder(const dnnl::memory::desc& from, const float* data, dnnl::memory& to) {
    dnnl::memory plain(from, engine_, const_cast<float*>(data));
    dnnl::reorder(plain, to).execute(stream_, plain, to);
    stream_.wait();
  }
  const Layer& layer_;
  dnnl::engine engine_;
  dnnl::stream stream_;
  dnnl::convolution_forward primitive_;
  dnnl::memory x_, w_, bias_, y_, scratch_;
  std::string info_;
};
#endif

struct Options {
  int threads = 1, repeats = 15;
  bool silu = true;
  DType dtype = DType::f32;
  std::string level, prefix = "cpu.";
  std::vector<std::string> files;
};

void bench_file(const std::string& path, const Options& options, std::span<const std::unique_ptr<Tactic>> tactics,
                Parallel& parallel) {
  double total = 0, total_other = 0, flops = 0;
  for (const auto& [layer, count] : read_layers(path)) {
    Ours ours(layer, tactics, options.prefix, parallel, options.silu, options.dtype);
    if (!ours.takes()) {
      fmt::print("{:4}->{:4} g{} {}x{} @{}x{}: no tactic takes it\n", layer.ic, layer.oc, layer.group, layer.kh,
                 layer.kw, layer.oh, layer.ow);
      continue;
    }
    std::vector<double> times, others;
#ifdef MEMLINE_ONEDNN
    std::optional<OneDnn> other;
    if (options.dtype == DType::f32) other.emplace(layer, ours, options.silu);
#endif
    for (int r = 0; r < options.repeats; ++r) {
      times.push_back(ours.run());
#ifdef MEMLINE_ONEDNN
      if (other) others.push_back(other->run());
#endif
    }
    const double ms = *std::min_element(times.begin(), times.end());
    fmt::print("{:4}->{:4} {}x{} s{} @{:3}x{:3} x{}: {:8.3f} ms {:6.1f} GFLOP/s {}", layer.ic, layer.oc, layer.kh,
               layer.kw, layer.sh, layer.oh, layer.ow, count, ms, layer.flops() / ms / 1e6, ours.tactic());
    total += count * ms;
    flops += count * layer.flops();
#ifdef MEMLINE_ONEDNN
    if (!other) {
      fmt::print("\n");
      continue;
    }
    const double theirs = *std::min_element(others.begin(), others.end());
    total_other += count * theirs;
    fmt::print("  oneDNN {:8.3f} {} ratio {:.2f} difference {:.0e}", theirs, other->info(), ms / theirs,
               other->difference(ours));
#endif
    fmt::print("\n");
  }
  fmt::print("{} {} thread(s): {:.2f} ms, {:.1f} GFLOP/s", path, options.threads, total, flops / total / 1e6);
  if (total_other > 0) fmt::print(", oneDNN {:.2f} ms, ratio {:.3f}", total_other, total / total_other);
  fmt::print("\n");
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string_view arg = argv[i];
    if (arg == "--threads" && i + 1 < argc)
      options.threads = std::atoi(argv[++i]);
    else if (arg == "--repeats" && i + 1 < argc)
      options.repeats = std::atoi(argv[++i]);
    else if (arg == "--level" && i + 1 < argc)
      options.level = argv[++i];
    else if (arg == "--tactic" && i + 1 < argc)
      options.prefix = argv[++i];
    else if (arg == "--cpu-time")
      clock_kind = CLOCK_THREAD_CPUTIME_ID;
    else if (arg == "--bf16")
      options.dtype = DType::bf16;
    else if (arg == "--plain")
      options.silu = false;
    else
      options.files.emplace_back(arg);
  }
  const auto level = cpu::choose_cpu_level(options.level);
  if (clock_kind != CLOCK_MONOTONIC && options.threads != 1) {
    fmt::print(stderr, "--cpu-time counts one thread: leave --threads at 1\n");
    return 1;
  }
  if (!level) {
    fmt::print(stderr, "{}\n", level.error().message);
    return 1;
  }
#ifdef MEMLINE_ONEDNN
  omp_set_num_threads(options.threads);
#endif
  const auto tactics = cpu::make_tactics(*level);
  Spinning parallel(options.threads);
  for (const std::string& file : options.files) bench_file(file, options, tactics, parallel);
  return 0;
}
