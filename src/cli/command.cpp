#include "cli/command.h"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include "base/result.h"
#include "base/size.h"

namespace memline::cli {
namespace {

std::atomic<bool> g_cancelled = false;  // a signal handler can reach nothing else
bool g_json = false;
Run g_run;
bool g_progress_shown = false;

void on_signal(int) { g_cancelled.store(true, std::memory_order_relaxed); }

void listen_for_cancel() {
  struct sigaction action = {};
  action.sa_handler = on_signal;
  action.sa_flags = SA_RESETHAND;  // a second Ctrl-C ends the process at once
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

Json error_json(const Error& error) {
  Json json = {{"code", code_name(error.code)}, {"reason", error.reason}, {"message", error.message}};
  if (error.code == Code::over_budget) {
    json["phase"] = error.phase;
    json["least_bytes"] = error.least_bytes;
    json["largest"] = Json::array();
    for (const NamedBytes& buffer : error.largest)
      json["largest"].push_back({{"name", buffer.name}, {"bytes", buffer.bytes}});
  }
  return {{"error", json}};
}

int report_error(const Error& error) {
  end_progress();
  if (g_json) {
    fmt::print("{}\n", error_json(error).dump());
  } else {
    std::string line = fmt::format("memline: {}: {}", code_name(error.code), error.message);
    if (!error.reason.empty()) line += fmt::format(" [{}]", error.reason);
    for (const NamedBytes& buffer : error.largest)
      line += fmt::format("\n  {:>12}  {}", format_size(buffer.bytes), buffer.name);
    fmt::print(stderr, "{}\n", line);
  }
  return static_cast<int>(error.code);
}

bool asks_for_json(int argc, char** argv) {
  for (int i = 1; i < argc; ++i)
    if (std::string_view(argv[i]) == "--json") return true;
  return false;
}

}  // namespace

void add_command(CLI::App&, CLI::App* command, const std::string& examples, Run run) {
  command->add_flag("--json", g_json, "one JSON object on standard output, nothing else");
  command->footer("Examples:\n" + examples);
  command->callback([run = std::move(run)] { g_run = run; });
}

const std::atomic<bool>& cancelled() { return g_cancelled; }

void print_ahead(std::string_view line) {
  if (g_json) return;
  fmt::print("{}\n", line);
  std::fflush(stdout);
}

void show_progress(std::string_view stage, size_t done, size_t total) {
  if (isatty(STDERR_FILENO) == 0) return;
  g_progress_shown = true;
  fmt::print(stderr, "\r\033[K{} {}/{}", stage, done, total);
}

void end_progress() {
  if (g_progress_shown) fmt::print(stderr, "\r\033[K");
  g_progress_shown = false;
}

int main(int argc, char** argv) {
  g_json = asks_for_json(argc, argv);
  CLI::App app("Memline runs vision models inside a memory line that you draw.", "memline");
  app.set_version_flag("--version", version());
  app.require_subcommand(1);
  for (const auto add :
       {add_build, add_plan, add_run, add_bench, add_inspect, add_segment, add_compare, add_fit, add_doctor})
    add(app);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);  // --help, --version
    return report_error({.code = Code::invalid_argument, .reason = "usage", .message = error.what()});
  }
  listen_for_cancel();
  Result<Report> report = g_run();
  if (!report) return report_error(report.error());
  end_progress();
  if (g_json)
    fmt::print("{}\n", report->json.dump());
  else
    fmt::print("{}", report->text);
  return std::fflush(stdout) == 0 ? 0 : static_cast<int>(Code::io_error);
}

}  // namespace memline::cli
