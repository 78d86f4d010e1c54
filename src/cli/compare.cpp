// memline compare MODEL.onnx --reference DIR: node by node, where our answers first differ from stored ones.
#include <fmt/format.h>

#include <cmath>
#include <filesystem>

#include "base/result.h"
#include "cli/build_options.h"
#include "cli/command.h"
#include "cli/engine_json.h"
#include "cli/npy.h"

namespace memline::cli {
namespace {

struct Flags {
  std::string model, reference, on = "engine";
  BuildFlags build;
  double tolerance = 1e-3;
  size_t first = 10;
};

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

// "a%2Fb" -> "a/b": what `run` and scripts/dump_reference.py write.
std::string decoded(std::string_view name) {
  std::string out;
  for (size_t i = 0; i < name.size(); ++i) {
    const bool escape =
        name[i] == '%' && i + 2 < name.size() && hex_digit(name[i + 1]) >= 0 && hex_digit(name[i + 2]) >= 0;
    out += escape ? static_cast<char>(hex_digit(name[i + 1]) * 16 + hex_digit(name[i + 2])) : name[i];
    if (escape) i += 2;
  }
  return out;
}

Result<std::map<std::string, std::string>> stored_files(const std::string& folder) {
  std::map<std::string, std::string> files;
  std::error_code error;
  std::filesystem::directory_iterator entries(folder, error);
  if (error) return not_found("--reference '{}' cannot be read: {}", folder, error.message());
  for (const auto& entry : entries)
    if (entry.path().extension() == ".npy") files[decoded(entry.path().stem().string())] = entry.path();
  if (files.empty()) return not_found("--reference '{}' holds no .npy files", folder);
  return files;
}

// JSON has no infinity.
Json number(double x) { return std::isfinite(x) ? Json(x) : Json(nullptr); }

Json value_json(const tools::ComparedValue& value) {
  return {{"name", value.name},
          {"node", value.node},
          {"op", value.op},
          {"dtype", dtype_text(value.dtype)},
          {"dims", value.dims},
          {"range", value.range},
          {"max_error", number(value.max_error)},
          {"mean_error", number(value.mean_error)},
          {"beyond", value.beyond},
          {"mismatch", value.mismatch},
          {"differs", value.differs}};
}

std::string value_text(const tools::ComparedValue& value) {
  const std::string where = fmt::format("{} '{}' -> {}", value.op.empty() ? "-" : value.op, value.node, value.name);
  if (!value.mismatch.empty()) return fmt::format("  {}: {}\n", where, value.mismatch);
  return fmt::format("  {:>10.3g} {:>10.3g} {:>10} of {:<10} {}\n", value.max_error, value.mean_error, value.beyond,
                     dims_text(value.dims), where);
}

std::string list_text(std::string_view title, const std::vector<tools::ComparedValue>& values, size_t first) {
  const auto differing = static_cast<size_t>(std::ranges::count_if(values, &tools::ComparedValue::differs));
  std::string text = fmt::format("{}: {} compared, {} differ\n", title, values.size(), differing);
  if (differing > 0)
    text +=
        fmt::format("  {:>10} {:>10} {:>10}    {:<10} {}\n", "max error", "mean", "beyond", "shape", "node -> value");
  size_t shown = 0;
  for (const tools::ComparedValue& value : values)
    if (value.differs && shown++ < first) text += value_text(value);
  if (differing > first) text += fmt::format("  and {} more (--first)\n", differing - first);
  return text;
}

Result<Report> run(const Flags& flags) {
  if (flags.on != "engine" && flags.on != "reference")
    return invalid_argument("--on: found '{}', needs engine or reference", flags.on);
  if (!(flags.tolerance >= 0)) return invalid_argument("--tolerance: needs a number of at least 0");
  MEML_TRY(const auto files, stored_files(flags.reference));
  tools::CompareOptions options{.tolerance = flags.tolerance, .on_references = flags.on == "reference"};
  MEML_TRY(options.build, build_options(flags.build));
  for (const auto& [name, file] : files) options.stored.insert(name);
  options.load = [&files](const std::string& name) -> Result<tools::StoredTensor> {
    MEML_TRY(NpyArray array, read_npy(files.at(name)));
    if (array.dims.size() > 8)
      return invalid_argument("'{}' has rank {}, at most 8 is possible", name, array.dims.size());
    return tools::StoredTensor{array.dtype, std::move(array.dims), std::move(array.bytes)};
  };
  MEML_TRY(const tools::CompareReport compared, tools::compare(flags.model, options));

  Report report;
  report.json["tolerance"] = flags.tolerance;
  report.json["on"] = flags.on;
  report.json["compared"] = compared.values.size();
  report.json["differing"] = compared.differing;
  const auto first = std::ranges::find_if(compared.values, &tools::ComparedValue::differs);
  report.json["first"] = first == compared.values.end() ? Json(nullptr) : value_json(*first);
  for (const auto& [key, list] : {std::pair{"values", &compared.values}, {"outputs", &compared.outputs}}) {
    report.json[key] = Json::array();
    for (const tools::ComparedValue& value : *list) report.json[key].push_back(value_json(value));
  }
  report.json["unknown"] = compared.unknown;
  report.text = list_text("node by node, in the model's order", compared.values, flags.first);
  if (!options.on_references) report.text += list_text("outputs of the engine as built", compared.outputs, flags.first);
  if (!compared.unknown.empty())
    report.text += fmt::format("{} stored values are not in the model, '{}' the first\n", compared.unknown.size(),
                               compared.unknown.front());
  return report;
}

}  // namespace

void add_compare(CLI::App& app) {
  auto flags = std::make_shared<Flags>();
  CLI::App* command = app.add_subcommand("compare", "node by node, where answers first differ from stored ones");
  command->add_option("model", flags->model, "an ONNX file")->required();
  command
      ->add_option(
          "--reference", flags->reference,
          "a folder of NAME.npy: the inputs, and any values of the model (scripts/dump_reference.py makes one)")
      ->required();
  command->add_option("--tolerance", flags->tolerance, "of the range of the stored values")->capture_default_str();
  command->add_option("--first", flags->first, "so many differing values are shown")->capture_default_str();
  command->add_option("--on", flags->on, "engine, or reference: our plain implementations")->capture_default_str();
  add_build_flags(command, flags->build);
  add_command(app, command,
              "  scripts/dump_reference.py person-seg.onnx stored --shape images=1x3x640x640\n"
              "  memline compare person-seg.onnx --reference stored\n"
              "  memline compare person-seg.onnx --reference stored --precision bf16 --tolerance 0.02",
              [flags] { return run(*flags); });
}

}  // namespace memline::cli
