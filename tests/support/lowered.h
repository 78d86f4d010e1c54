// Menus and schedules of graphs written as text, on the CPU's AVX2 tactics: what the tests of choose, fit and compiler
// begin with. Nothing is timed and nothing is run.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "choose/lower.h"
#include "cpu/backend.h"
#include "fit/fit.h"
#include "support/graph_check.h"

namespace memline::test {

inline const cpu::CpuBackend& avx2() {
  static const cpu::CpuBackend backend(cpu::CpuLevel::avx2);
  return backend;
}

inline Menu lowered(std::string_view text, const LowerOptions& options = {}) {
  auto menu = lower(std::make_shared<const Graph>(parse(text)), avx2(), options);
  EXPECT_TRUE(menu.has_value()) << (menu ? "" : menu.error().message);
  return menu ? *std::move(menu) : Menu();
}

inline const MenuValue& value_named(const Menu& menu, std::string_view name) {
  for (const MenuValue& value : menu.values)
    if (value.name == name) return value;
  ADD_FAILURE() << "no value '" << name << "'";
  return menu.values.front();
}

// Copies that lowering made, by the value they write, then copies that placing made: "x@0231", "cat <- x".
inline std::vector<std::string> copies(const Menu& menu, const Homes& homes) {
  std::vector<std::string> found;
  for (const MenuNode& node : menu.nodes)
    if (node.kind == MenuNodeKind::kernel && node.call.op->name == "Copy") found.push_back(node.name);
  for (const Task& task : homes.tasks)
    if (task.copied_input >= 0)
      found.push_back(menu.nodes[static_cast<size_t>(task.node)].name + " <- " + menu.value(task.in[0]).name);
  return found;
}

inline Schedule fitted(std::string_view text, const FitOptions& options = {}) {
  auto schedule = fit(std::make_shared<const Menu>(lowered(text)), options);
  EXPECT_TRUE(schedule.has_value()) << (schedule ? "" : schedule.error().message);
  return schedule ? *std::move(schedule) : Schedule();
}

// The task that writes the value of this name.
inline int32_t task_of(const Schedule& schedule, std::string_view value) {
  for (size_t t = 0; t < schedule.homes.tasks.size(); ++t)
    for (const MenuValueId out : schedule.homes.tasks[t].out)
      if (out >= 0 && schedule.menu->value(out).name == value) return static_cast<int32_t>(t);
  ADD_FAILURE() << "no task writes '" << value << "'";
  return 0;
}

}  // namespace memline::test
