// tools.hpp: an engine's bill and timeline for people.
#include "memline/tools.hpp"
#include "memory/bill.h"
#include "memory/chart.h"

namespace memline::tools {

std::string bill_text(const EngineReport& report) {
  memory::Bill bill;
  for (const BillEntry& entry : report.bill.entries)
    for (const auto& [name, field] : {std::pair{"context", &bill.context},
                                      {"weights", &bill.weights},
                                      {"activations", &bill.activations},
                                      {"workspace", &bill.workspace},
                                      {"kernels", &bill.kernels},
                                      {"staging", &bill.staging},
                                      {"io", &bill.io},
                                      {"results", &bill.results},
                                      {"video", &bill.video}})
      if (entry.name == name) *field = entry.bytes;
  return memory::bill_text(bill, report.bill.limit_bytes, report.bill.largest);
}

std::string timeline_svg(const EngineReport& report) {
  std::vector<memory::Buffer> buffers;
  std::vector<int64_t> offsets;
  for (const BufferReport& from : report.buffers) {
    memory::Buffer buffer{
        .name = from.name, .bytes = from.bytes, .first_step = from.first_step, .last_step = from.last_step};
    if (from.region == "input") buffer.region = memory::Region::input;
    if (from.region == "output") buffer.region = memory::Region::output;
    buffers.push_back(std::move(buffer));
    offsets.push_back(from.offset);
  }
  std::vector<std::string> steps;
  for (const StepReport& step : report.steps) steps.push_back(step.op);
  const auto model = report.about.find("model");
  return memory::timeline_svg({.title = model != report.about.end() ? model->second : "",
                               .buffers = buffers,
                               .offsets = offsets,
                               .step_names = steps,
                               .arena_bytes = report.bill.arena_bytes});
}

}  // namespace memline::tools
