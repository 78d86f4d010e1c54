// The names of a model's classes, from the metadata that exporters write: {0: 'person', 1: 'bicycle'}.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace memline::api {

// By class id; ids that are not named have an empty name. Text that is not of that form gives what was read before
// the fault.
std::vector<std::string> parse_class_names(std::string_view text);

}  // namespace memline::api
