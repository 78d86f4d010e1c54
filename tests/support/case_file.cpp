#include "support/case_file.h"

#include <charconv>
#include <fstream>
#include <sstream>

#include "tensor/tensor_type.h"

namespace memline::testing {
namespace {

// The words of a line: split at blanks outside of quotes.
std::vector<std::string_view> words(std::string_view line) {
  std::vector<std::string_view> result;
  bool quoted = false;
  size_t begin = 0;
  for (size_t i = 0; i <= line.size(); ++i) {
    if (i < line.size() && line[i] == '"') quoted = !quoted;
    if (i < line.size() && (quoted || line[i] != ' ')) continue;
    if (i > begin) result.push_back(line.substr(begin, i - begin));
    begin = i + 1;
  }
  return result;
}

Result<std::vector<double>> parse_numbers(std::string_view text) {
  std::vector<double> numbers;
  while (!text.empty()) {
    double number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc()) return invalid_argument("'{}' is not a number", text);
    numbers.push_back(number);
    text.remove_prefix(static_cast<size_t>(end - text.data()));
    if (!text.empty() && text.front() == ',') text.remove_prefix(1);
  }
  return numbers;
}

bool is_typed(std::string_view value) {
  const size_t bracket = value.find('[');
  return bracket != std::string_view::npos && parse_dtype(value.substr(0, bracket)).has_value();
}

Result<CaseInput> parse_input(std::string_view name, std::string_view value) {
  CaseInput input = {.name = std::string(name)};
  const size_t brace = value.find('{');
  MEML_TRY(const TensorType type, TensorType::parse(value.substr(0, brace)));
  input.dtype = type.dtype;
  int64_t elements = 1;
  for (const DimExpr& dim : type.dims) {
    if (!dim.is_constant()) return invalid_argument("'{}' has an extent that is no number", value);
    input.dims.push_back(*dim.constant());
    elements *= input.dims.back();
  }
  if (brace == std::string_view::npos) return input;
  if (value.back() != '}') return invalid_argument("'{}' has no closing brace", value);
  MEML_TRY(input.values, parse_numbers(value.substr(brace + 1, value.size() - brace - 2)));
  if (static_cast<int64_t>(input.values->size()) != elements)
    return invalid_argument("'{}' has {} values, needs {}", value, input.values->size(), elements);
  return input;
}

Result<Case> parse_case(std::string_view line) {
  const size_t hash = line.find('#');
  Case problem = {.text = std::string(line)};
  if (hash == std::string_view::npos) return invalid_argument("gives no reason");
  problem.reason = line.substr(std::min(line.size(), hash + 2));
  for (const std::string_view word : words(line.substr(0, hash))) {
    const size_t equals = word.find('=');
    if (word == "_") {
      problem.inputs.push_back({.present = false});
    } else if (equals == std::string_view::npos) {
      return invalid_argument("'{}' is neither an input nor an attribute", word);
    } else if (is_typed(word.substr(equals + 1))) {
      MEML_TRY(CaseInput input, parse_input(word.substr(0, equals), word.substr(equals + 1)));
      problem.inputs.push_back(std::move(input));
    } else {
      problem.attrs.append(problem.attrs.empty() ? "" : ", ").append(word);
    }
  }
  return problem;
}

}  // namespace

Result<std::vector<Case>> parse_cases(std::string_view text) {
  std::vector<Case> cases;
  for (int number = 1; !text.empty(); ++number) {
    const size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(text.size(), end + 1));
    const size_t first = line.find_first_not_of(' ');
    if (first == std::string_view::npos || line[first] == '#') continue;
    auto problem = parse_case(line);
    if (!problem) return with_prefix(std::move(problem).error(), fmt::format("line {}", number));
    problem->line = number;
    cases.push_back(*std::move(problem));
  }
  return cases;
}

Result<std::vector<Case>> read_cases(const std::string& path) {
  std::ifstream file(path);
  if (!file) return not_found("no case file {}", path);
  std::stringstream text;
  text << file.rdbuf();
  return parse_cases(text.str());
}

}  // namespace memline::testing
