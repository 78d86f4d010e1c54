#include "engine/context.h"

#include <set>

#include "base/size.h"

namespace memline::engine {
namespace {

constexpr int64_t kHeapHeader = 8;     // glibc: in front of each block
constexpr int64_t kExprBytes = 224;    // one node of an expression, with its lists
constexpr int64_t kInlineString = 15;  // what std::string keeps in place

int64_t block(int64_t bytes) { return bytes == 0 ? 0 : std::max<int64_t>(align_up(bytes + kHeapHeader, 16), 32); }

// Adds up the heap blocks of a program's tables. Expressions that are equal are one (decode() shares them).
class Tables {
 public:
  void add(const std::string& text) {
    const auto size = static_cast<int64_t>(text.size());
    if (size > kInlineString) bytes_ += block(size + 1);
  }
  void add(const DimExpr& expression) {
    if (!expression.is_constant() && seen_.insert(expression.hash()).second)
      bytes_ += kExprBytes * expression.node_count();
  }
  template <typename T>
  void add(const std::vector<T>& list) {
    bytes_ += block(static_cast<int64_t>(list.size() * sizeof(T)));
    for (const T& element : list)
      if constexpr (requires { add(element); }) add(element);
  }
  void add(const Operand& operand) {
    add(operand.offset);
    add(operand.type.dims);
    add(operand.strides);
    add(operand.rows.begin);
    add(operand.rows.end);
  }
  void add(const std::pair<int32_t, DimExpr>& assign) { add(assign.second); }
  void add(const Step& step) {
    add(step.name);
    add(step.tactic);
    add(step.call);
    add(step.why);
    add(step.in);
    add(step.out);
    add(step.counts);
    add(step.assigns);
    add(step.blocks);
    const auto operands = static_cast<int64_t>(step.in.size() + step.out.size());
    bytes_ += kPreparedStepBytes + operands * kPreparedOperandBytes + kKernelBytes;
  }
  void add(const Port& port) {
    add(port.name);
    add(port.type.dims);
    add(port.max_dims);
    add(port.min_dims);
    add(port.opt_dims);
  }
  void add(const SlotInfo& slot) { add(slot.name); }
  void add(const ShapeCondition& condition) {
    add(condition.left);
    add(condition.right);
    add(condition.demanded_by);
  }
  void add(const Block& steps) { add(steps.steps); }
  void add(const memory::Buffer& buffer) { add(buffer.name); }
  void add(const std::map<std::string, std::string>& map) {
    constexpr int64_t kNode = 32 + 2 * sizeof(std::string);
    for (const auto& [key, value] : map) {
      bytes_ += block(kNode);
      add(key);
      add(value);
    }
  }
  int64_t bytes() const { return bytes_; }

 private:
  int64_t bytes_ = 0;
  std::set<uint64_t> seen_;
};

}  // namespace

int64_t table_bytes(const Program& program) {
  Tables tables;
  tables.add(program.blocks);
  tables.add(program.slots);
  tables.add(program.conditions);
  tables.add(program.inputs);
  tables.add(program.outputs);
  tables.add(program.buffers);
  tables.add(program.buffer_offsets);
  tables.add(program.about);
  return align_up(tables.bytes(), 4096);
}

int64_t context_bytes(const Program& program) {
  return kLibraryBytes + (program.threads - 1) * kWorkerBytes + table_bytes(program);
}

}  // namespace memline::engine
