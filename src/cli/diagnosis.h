// Judges a machine: can timings on it be trusted, and what would make them better. Pure: facts in, findings out.
#pragma once

#include <string>
#include <vector>

#include "base/machine.h"

namespace memline::cli {

enum class Health { ok, warning, unknown };

struct Finding {
  std::string name;  // stable: "governor"
  Health health = Health::ok;
  std::string found;   // what there is
  std::string advice;  // what to do about it; empty when nothing
};

std::string_view health_text(Health health);  // ok, warning, unknown

// One finding a subject, in a fixed order. `cpu_level` is the best that engines can use here; empty: below AVX2.
std::vector<Finding> diagnose(const Machine& machine, const std::string& cpu_level);

// No finding is a warning.
bool is_ready(const std::vector<Finding>& findings);

}  // namespace memline::cli
