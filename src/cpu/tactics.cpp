#include "cpu/tactics.h"

#include "cpu/copy/copy_tactic.h"
#include "cpu/reference/reference.h"

namespace memline::cpu {

std::vector<std::unique_ptr<Tactic>> make_tactics(CpuLevel) {
  std::vector<std::unique_ptr<Tactic>> list;
  list.push_back(copy_tactic());
  list.push_back(reference_tactic());
  return list;
}

}  // namespace memline::cpu
