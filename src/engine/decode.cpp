// Bytes -> Program, for bytes from anywhere. What the format itself demands is checked here; what the numbers mean
// together, by verify(). Each expression is parsed once and shared by everything that uses it.
#include <algorithm>

#include "engine/bytes.h"
#include "engine/fields.h"
#include "engine/file.h"
#include "engine/verify.h"

namespace memline::engine {
namespace {

constexpr size_t kLongestExpression = 8192;  // its text
constexpr int kMostNodes = 1024;             // extents have DimExpr::kMaxNodes; strides are products of some

class Decoder {
 public:
  explicit Decoder(std::span<const std::byte> bytes) : reader_(bytes) {}

  void read_expressions() {
    const size_t count = reader_.count(1);
    expressions_.reserve(count);
    for (size_t i = 0; i < count && !reader_.failure(); ++i) {
      const std::string_view text = reader_.text();
      if (text.size() > kLongestExpression) return reader_.fail("an expression is too long");
      Result<DimExpr> expression = DimExpr::parse(text);
      if (!expression || expression->node_count() > kMostNodes) return reader_.fail("an expression cannot be read");
      expressions_.push_back(*std::move(expression));
    }
  }

  void operator()(bool& value) { value = reader_.choice(Flag::yes) == Flag::yes; }
  void operator()(int32_t& value) { value = reader_.narrow<int32_t>(); }
  void operator()(int64_t& value) { value = reader_.i64(); }
  void operator()(double& value) { value = reader_.f64(); }
  void operator()(std::string& value) { value = reader_.text(); }
  void operator()(DType& value) { value = reader_.choice(DType::boolean); }
  void operator()(memory::Region& value) { value = reader_.choice(memory::Region::staging); }
  void operator()(StepKind& value) { value = reader_.choice(StepKind::loop); }

  void operator()(DimExpr& value) {
    const uint64_t code = reader_.u64();
    if ((code & 1) == 0) {
      const uint64_t zigzag = code >> 1;
      value = static_cast<int64_t>(zigzag >> 1 ^ (0 - (zigzag & 1)));
    } else if (code >> 1 < expressions_.size()) {
      value = expressions_[code >> 1];
    } else {
      reader_.fail("an expression does not exist");
    }
  }

  template <typename T>
  void operator()(std::vector<T>& list) {
    list.resize(reader_.count(kLeastBytes<T>));
    for (T& element : list) {
      if (reader_.failure()) return;
      (*this)(element);
    }
  }
  void operator()(std::map<std::string, std::string>& map) {
    for (size_t left = reader_.count(2); left > 0 && !reader_.failure(); --left) {
      std::string key(reader_.text());
      if (!map.empty() && map.rbegin()->first >= key) return reader_.fail("facts are not in order");
      map.emplace_hint(map.end(), std::move(key), reader_.text());
    }
  }
  template <typename T>
  requires requires(Decoder& decoder, T& table) { fields(decoder, table); }
  void operator()(T& table) { fields(*this, table); }

  // Everything was read, and no expression speaks of a slot that does not exist.
  Status finish(const Program& program) {
    if (reader_.left() > 0) reader_.fail("bytes are left over");
    std::vector<int32_t> slots;
    for (const DimExpr& expression : expressions_) expression.collect_slots(slots);
    for (const int32_t slot : slots)
      if (slot < 0 || static_cast<size_t>(slot) >= program.slots.size()) reader_.fail("a slot does not exist");
    if (reader_.failure() == nullptr) return {};
    return fail(Code::invalid_argument, "engine_corrupt", "the engine's program: {} (byte {})", reader_.failure(),
                reader_.failed_at());
  }

 private:
  enum class Flag : uint8_t { no, yes };
  ByteReader reader_;
  std::vector<DimExpr> expressions_;
};

}  // namespace

Result<Program> decode(std::span<const std::byte> bytes) {
  Program program;
  Decoder decoder(bytes);
  decoder.read_expressions();
  decoder(program);
  MEML_TRY_STATUS(decoder.finish(program));
  MEML_TRY_STATUS(verify(program));
  return program;
}

}  // namespace memline::engine
