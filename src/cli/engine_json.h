// Reports of engines and builds as JSON, with the keys of docs and design.
#pragma once

#include "cli/command.h"
#include "memline/tools.hpp"

namespace memline::cli {

// limit_bytes, bill_bytes (an entry an owner, and total), plain_arena_bytes, arena_bytes, lower_bound_bytes.
void add_bill(Json& json, const MemoryBill& bill);
Json ports_json(const std::vector<PortInfo>& ports);
std::string_view dtype_text(DType dtype);
std::string dims_text(const std::vector<int64_t>& dims);  // "1x3x640x640"
std::string port_text(const PortInfo& port);              // "images f32 1x3x640x640"
Json report_json(const tools::BuildReport& report, bool explain);
std::string build_text(const tools::BuildReport& report, bool explain);

}  // namespace memline::cli
