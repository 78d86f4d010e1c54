// Programs and schedules as the data of tools.hpp.
#pragma once

#include "compiler/compile.h"
#include "memline/tools.hpp"

namespace memline::api {

tools::EngineReport report_of(const engine::Program& program, const std::string& target);
std::map<std::string, std::string> dumps_of(const Compiled& compiled);  // graph, menu, schedule

}  // namespace memline::api
