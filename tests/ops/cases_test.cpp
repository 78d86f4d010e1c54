// Runs every line of tests/cases/*.cases on the op's reference, dense and with backwards strides: a line that its op
// does not accept, or a reference that is wrong in some order, fails here. Tactics are compared with the reference on
// the same lines in tests/cpu.
#include "support/case_file.h"

#include <algorithm>
#include <filesystem>
#include <random>

#include "ops/run_op.h"

namespace memline::ops::testing {
namespace {

// "gather_nd" and "GatherND" are the same op.
const OpDef* op_of(const std::string& file_stem) {
  const auto plain = [](std::string_view name) {
    std::string letters;
    for (const char c : name)
      if (c != '_') letters += static_cast<char>(std::tolower(c));
    return letters;
  };
  for (const OpDef& op : all())
    if (op.domain.empty() && plain(op.name) == plain(file_stem)) return &op;
  return nullptr;
}

Tensor filled(const memline::testing::CaseInput& input, std::mt19937& random) {
  if (!input.present) return absent();
  Tensor t = {.dtype = input.dtype, .dims = input.dims, .values = {}};
  if (input.values) {
    t.values = *input.values;
    return t;
  }
  int64_t elements = 1;
  for (const int64_t d : input.dims) elements *= d;
  for (int64_t i = 0; i < elements; ++i) {
    const auto eighth = static_cast<double>(random() % 64) / 8 - 4;  // exact in every float type
    t.values.push_back(is_float(input.dtype) ? eighth : static_cast<double>(random() % 2));
  }
  return t;
}

class Cases : public ::testing::TestWithParam<std::string> {};

TEST_P(Cases, EveryLineRunsOnTheReference) {
  const std::filesystem::path path = GetParam();
  const OpDef* op = op_of(path.stem().string());
  ASSERT_NE(op, nullptr) << "no op is called like " << path;
  const auto cases = memline::testing::read_cases(path.string());
  ASSERT_TRUE(cases.has_value()) << cases.error().message;
  EXPECT_FALSE(cases->empty());
  std::mt19937 random(1);
  for (const auto& problem : *cases) {
    SCOPED_TRACE(fmt::format("{}:{}: {}", path.filename().string(), problem.line, problem.text));
    std::vector<Tensor> inputs;
    for (const auto& input : problem.inputs) inputs.push_back(filled(input, random));
    const auto results = run_all(op->name, problem.attrs, inputs);
    EXPECT_TRUE(results.has_value()) << results.error().message;
  }
}

std::vector<std::string> case_files() {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(MEMLINE_SOURCE_DIR "/tests/cases"))
    if (entry.path().extension() == ".cases") files.push_back(entry.path().string());
  std::sort(files.begin(), files.end());
  return files;
}

INSTANTIATE_TEST_SUITE_P(Ops, Cases, ::testing::ValuesIn(case_files()),
                         [](const auto& info) { return std::filesystem::path(info.param).stem().string(); });

TEST(CaseFile, ALineThatCannotBeReadIsNamed) {
  using memline::testing::parse_cases;
  EXPECT_EQ(parse_cases("\nx=f32[2]\n").error().message, "line 2: gives no reason");
  EXPECT_EQ(parse_cases("x=i64[2]{1} # short").error().message, "line 1: 'i64[2]{1}' has 1 values, needs 2");
  const auto cases = parse_cases("# head\nx=f32[2,3] _ k=i64[2]{-1,4} axis=1 mode=\"a b\" # why\n").value();
  ASSERT_EQ(cases.size(), 1u);
  EXPECT_EQ(cases[0].inputs.size(), 3u);
  EXPECT_EQ(cases[0].inputs[2].values, (std::vector<double>{-1, 4}));
  EXPECT_EQ(cases[0].attrs, "axis=1, mode=\"a b\"");
  EXPECT_EQ(cases[0].reason, "why");
}

}  // namespace
}  // namespace memline::ops::testing
