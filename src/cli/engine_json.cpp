#include "cli/engine_json.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/size.h"

namespace memline::cli {

void add_bill(Json& json, const MemoryBill& bill) {
  json["limit_bytes"] = bill.limit_bytes;
  Json& entries = json["bill_bytes"] = Json::object();
  for (const BillEntry& entry : bill.entries) entries[entry.name] = entry.bytes;
  entries["total"] = bill.total_bytes;
  json["plain_arena_bytes"] = bill.plain_arena_bytes;
  json["arena_bytes"] = bill.arena_bytes;
  json["lower_bound_bytes"] = bill.lower_bound_bytes;
  json["largest"] = Json::array();
  for (const NamedBytes& buffer : bill.largest)
    json["largest"].push_back({{"name", buffer.name}, {"bytes", buffer.bytes}});
}

std::string_view dtype_text(DType dtype) {
  constexpr std::string_view kNames[] = {"f32", "f16", "bf16", "f64", "i8",  "u8",  "i16",
                                         "u16", "i32", "u32",  "i64", "u64", "bool"};
  return kNames[static_cast<size_t>(dtype)];
}

std::string dims_text(const std::vector<int64_t>& dims) {
  return dims.empty() ? "scalar" : fmt::format("{}", fmt::join(dims, "x"));
}

std::string port_text(const PortInfo& port) {
  std::string shape = dims_text(port.max_dims);
  if (port.min_dims != port.max_dims)
    shape = fmt::format("{}:{}:{}", dims_text(port.min_dims), dims_text(port.opt_dims), shape);
  return fmt::format("{} {} {}", port.name, dtype_text(port.dtype), shape);
}

Json ports_json(const std::vector<PortInfo>& ports) {
  Json list = Json::array();
  for (const PortInfo& port : ports)
    list.push_back({{"name", port.name},
                    {"dtype", dtype_text(port.dtype)},
                    {"min", port.min_dims},
                    {"opt", port.opt_dims},
                    {"max", port.max_dims},
                    {"max_bytes", port.max_bytes}});
  return list;
}

Json report_json(const tools::BuildReport& report, bool explain) {
  Json json;
  add_bill(json, report.engine.bill);
  json["build_limit_bytes"] = report.build_limit_bytes;
  json["device"] = report.engine.target.substr(0, report.engine.target.find(' '));
  json["target"] = report.engine.target;
  json["threads"] = report.engine.threads;
  json["steps"] = report.engine.steps.size();
  json["timed_calls"] = report.timed_calls;
  json["cached_calls"] = report.cached_calls;
  json["untimed_calls"] = report.untimed_calls;
  json["inputs"] = ports_json(report.engine.inputs);
  json["outputs"] = ports_json(report.engine.outputs);
  json["about"] = report.engine.about;
  json["passes"] = Json::array();
  for (const tools::PassReport& pass : report.passes)
    json["passes"].push_back({{"name", pass.name}, {"detected", pass.hits}, {"ms", pass.milliseconds}});
  if (!explain) return json;
  json["candidates"] = Json::array();
  for (const tools::CandidateReport& node : report.candidates) {
    Json entry = {{"node", node.node},
                  {"op", node.op},
                  {"call", node.call},
                  {"offered", Json::array()},
                  {"refused", Json::array()}};
    for (const auto& [tactic, time] : node.offered) entry["offered"].push_back({{"tactic", tactic}, {"ns", time}});
    for (const auto& refusal : node.refused)
      entry["refused"].push_back({{"tactic", refusal.tactic}, {"reason", refusal.reason}});
    json["candidates"].push_back(std::move(entry));
  }
  return json;
}

std::string build_text(const tools::BuildReport& report, bool explain) {
  std::string text = tools::bill_text(report.engine);
  for (const tools::PassReport& pass : report.passes)
    if (pass.hits > 0)
      text += fmt::format("pass {:<24} detected {:>4}   {:8.2f} ms\n", pass.name, pass.hits, pass.milliseconds);
  if (report.untimed_calls > 0)
    text += fmt::format("{} calls were not timed: the build's line has no room for them (--build-memory)\n",
                        report.untimed_calls);
  if (!explain) return text;
  for (const tools::CandidateReport& node : report.candidates) {
    text += fmt::format("{} '{}'\n  {}\n", node.op, node.node, node.call);
    for (const auto& [tactic, time] : node.offered) text += fmt::format("  {:<32} {:10.1f} us\n", tactic, time / 1e3);
    for (const auto& refusal : node.refused)
      text += fmt::format("  {:<32} refused: {}\n", refusal.tactic, refusal.reason);
  }
  return text;
}

}  // namespace memline::cli
