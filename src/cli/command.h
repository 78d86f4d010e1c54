// What every subcommand shares: how it is registered, how it reports, how it is cancelled.
#pragma once

#include <CLI/CLI.hpp>
#include <atomic>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>

#include "memline/memline.hpp"

namespace memline::cli {

using Json = nlohmann::ordered_json;

// A subcommand's outcome: the JSON object for --json, and the text for people. Either way nothing else goes to
// standard output.
struct Report {
  Json json;
  std::string text;
};
using Run = std::function<Result<Report>()>;

// Adds --json and registers what to do when the subcommand is chosen. `examples` close its --help.
void add_command(CLI::App& app, CLI::App* command, const std::string& examples, Run run);

// Parses and runs. Returns the exit code; prints one line (or one JSON object) for an error.
int main(int argc, char** argv);

// Set by Ctrl-C and SIGTERM.
const std::atomic<bool>& cancelled();

// A line of a command's text that is wanted before its work is done; nothing with --json, whose object has it.
void print_ahead(std::string_view line);

// A line on standard error that rewrites itself; nothing when standard error is no terminal.
void show_progress(std::string_view stage, size_t done, size_t total);
void end_progress();

// One file a subcommand.
void add_build(CLI::App& app);
void add_plan(CLI::App& app);
void add_run(CLI::App& app);
void add_bench(CLI::App& app);
void add_inspect(CLI::App& app);
void add_segment(CLI::App& app);
void add_compare(CLI::App& app);
void add_fit(CLI::App& app);
void add_doctor(CLI::App& app);

}  // namespace memline::cli
