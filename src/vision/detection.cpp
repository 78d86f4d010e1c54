#include "vision/detection.h"

#include <fmt/format.h>

namespace memline::vision {

std::string class_name(std::span<const std::string> class_names, int32_t class_id) {
  if (class_id >= 0 && static_cast<size_t>(class_id) < class_names.size())
    return class_names[static_cast<size_t>(class_id)];
  return fmt::format("class {}", class_id);
}

}  // namespace memline::vision
