// memline run ENGINE --input NAME=x.npy ... --output DIR
#include <fmt/format.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>

#include "base/result.h"
#include "cli/command.h"
#include "cli/engine_json.h"
#include "cli/npy.h"

namespace memline::cli {
namespace {

struct Flags {
  std::string engine, output;
  std::vector<std::string> inputs;
  int threads = 0;
};

std::string file_name(const std::string& output) {
  std::string name;
  for (const char c : output) {
    const bool plain =
        (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' || c == '_' || c == '-';
    if (plain)
      name += c;
    else
      name += fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return name + ".npy";
}

Result<std::map<std::string, std::string>> input_files(const Flags& flags, const Engine& engine) {
  std::map<std::string, std::string> files;
  for (const std::string& input : flags.inputs) {
    const size_t equals = input.find('=');
    if (equals == std::string::npos) return invalid_argument("--input: found '{}', needs NAME=FILE.npy", input);
    if (!files.emplace(input.substr(0, equals), input.substr(equals + 1)).second)
      return invalid_argument("--input: '{}' is given twice", input.substr(0, equals));
  }
  std::string names;
  for (const PortInfo& port : engine.inputs()) {
    names += (names.empty() ? "'" : ", '") + port.name + "'";
    if (!files.contains(port.name))
      return invalid_argument("input '{}' is missing: give --input {}=FILE.npy", port_text(port), port.name);
  }
  for (const auto& [name, file] : files) {
    bool known = false;
    for (const PortInfo& port : engine.inputs()) known |= port.name == name;
    if (!known) return invalid_argument("--input: the engine has no input '{}'; it has {}", name, names);
  }
  return files;
}

Result<Report> run(const Flags& flags) {
  MEML_TRY(const Engine engine, Engine::load(flags.engine));
  MEML_TRY(const auto files, input_files(flags, engine));
  MEML_TRY(Session session, engine.make_session({.threads = flags.threads}));
  std::vector<NpyArray> arrays;
  std::vector<TensorRef> inputs, outputs(engine.outputs().size());
  for (const PortInfo& port : engine.inputs()) {
    MEML_TRY(NpyArray array, read_npy(files.at(port.name)));
    if (array.dims.size() > 8)
      return invalid_argument("'{}' has rank {}, at most 8 is possible", files.at(port.name), array.dims.size());
    arrays.push_back(std::move(array));
    TensorRef ref(arrays.back().dtype, arrays.back().bytes.data(), {});
    for (const int64_t dim : arrays.back().dims) ref.dims[static_cast<size_t>(ref.rank++)] = dim;
    inputs.push_back(ref);
  }
  MEML_TRY_STATUS(session.run(inputs, outputs));

  std::error_code error;
  std::filesystem::create_directories(flags.output, error);
  if (error) return io_error("folder '{}' cannot be made: {}", flags.output, error.message());
  Report report;
  Json names = Json::object();
  for (size_t i = 0; i < outputs.size(); ++i) {
    const std::string name = engine.outputs()[i].name;
    MEML_TRY_STATUS(write_npy(flags.output + "/" + file_name(name), outputs[i]));
    names[name] = file_name(name);
    std::vector<int64_t> dims(outputs[i].dims.begin(), outputs[i].dims.begin() + outputs[i].rank);
    report.text += fmt::format("{} {} {} -> {}/{}\n", name, dtype_text(outputs[i].dtype), dims_text(dims), flags.output,
                               file_name(name));
  }
  std::ofstream index(flags.output + "/outputs.json");
  index << names.dump(1) << '\n';
  index.close();
  if (!index) return io_error("'{}/outputs.json' cannot be written", flags.output);
  report.json = {{"output", flags.output}, {"outputs", names}};
  return report;
}

}  // namespace

void add_run(CLI::App& app) {
  auto flags = std::make_shared<Flags>();
  CLI::App* command = app.add_subcommand("run", "run an engine once on arrays from files");
  command->add_option("engine", flags->engine, "an engine file")->required();
  command->add_option("--input", flags->inputs, "NAME=FILE.npy, one for each input");
  command->add_option("--output", flags->output, "the folder for the outputs, one .npy each, and outputs.json")
      ->required();
  command->add_option("--threads", flags->threads, "at most as many as the engine was built for")
      ->check(CLI::NonNegativeNumber);
  add_command(app, command, "  memline run r50.mline --input input=picture.npy --output out",
              [flags] { return run(*flags); });
}

}  // namespace memline::cli
