// The least schedule: picks by bytes alone, so that the least line depends on model and options, never on a timing.
//   * With an arena of A bytes, a step may use any candidate whose workspace fits beside what is alive at it; the one
//   that packs least is best. So A + the packed bytes of those choices is a function of A with steps at known places:
//   all are looked at, and the most promising are scheduled for real (packed bytes may be shared, places may not fit
//   together).
//   * Among equal bytes a candidate that may overwrite more inputs comes first.
#pragma once

#include "fit/scheduler.h"

namespace memline {

Schedule least_schedule(const Scheduler& scheduler);

}  // namespace memline
