// The error for a line that no schedule meets: the least line that works, and the ten largest buffers at the peak step.
#pragma once

#include "fit/fit.h"

namespace memline {

Failure over_budget(const Schedule& leanest, int64_t limit_bytes);
std::vector<NamedBytes> largest_at_peak(const Schedule& schedule);

}  // namespace memline
