#include "choose/choose.h"

#include <algorithm>
#include <map>

#include "choose/timer.h"

namespace memline {
namespace {

constexpr double kNearTie = 1.03;

// Whether `a` makes `b` needless: no slower but for noise, and never in need of more.
bool covers(const Candidate& a, const Candidate& b, int threads) {
  return a.nanoseconds <= b.nanoseconds * kNearTie && a.weight_bytes <= b.weight_bytes &&
         a.workspace.total(threads) <= b.workspace.total(threads) &&
         (a.may_overwrite & b.may_overwrite) == b.may_overwrite;
}

// Fastest first; among those within a near-tie of the fastest left, the first of the backend's list.
void sort_by_time(std::vector<Candidate>& candidates) {
  const auto faster = [](const Candidate& a, const Candidate& b) {
    return std::pair(a.nanoseconds, a.rank) < std::pair(b.nanoseconds, b.rank);
  };
  const auto earlier = [](const Candidate& a, const Candidate& b) { return a.rank < b.rank; };
  std::sort(candidates.begin(), candidates.end(), faster);
  for (auto next = candidates.begin(); next != candidates.end(); ++next) {
    const double limit = next->nanoseconds * kNearTie;
    const auto ties = std::find_if(next, candidates.end(), [&](const Candidate& c) { return c.nanoseconds > limit; });
    const auto first = std::min_element(next, ties, earlier);
    std::rotate(next, first, first + 1);
  }
}

void keep_good(std::vector<Candidate>& candidates, int threads) {
  sort_by_time(candidates);
  std::vector<Candidate> kept;
  for (const Candidate& candidate : candidates) {
    const bool needless =
        std::any_of(kept.begin(), kept.end(), [&](const Candidate& k) { return covers(k, candidate, threads); });
    if (!needless) kept.push_back(candidate);
  }
  candidates = std::move(kept);
}

int rounds_of(Tune tune, double stored_ns) {
  const int quick = stored_ns < 2e5 ? 15 : stored_ns < 2e6 ? 7 : 3;
  return tune == Tune::full ? quick * 5 : quick;
}

class Tuner {
 public:
  Tuner(Menu& menu, const TuneOptions& options) : menu_(menu), options_(options) {}

  Status time_all() {
    for (size_t i = 0; i < menu_.nodes.size(); ++i) {
      MenuNode& node = menu_.nodes[i];
      if (options_.progress) options_.progress(i, menu_.nodes.size());
      if (node.kind != MenuNodeKind::kernel || node.candidates.size() < 2) continue;
      if (auto status = time_node(node); !status) return with_prefix(std::move(status).error(), node.name);
    }
    return {};
  }

 private:
  Status time_node(MenuNode& node) {
    const std::string call = node.call.text();
    std::map<std::string, double>& known = times_[call];
    std::vector<const Candidate*> untimed;
    for (const Candidate& candidate : node.candidates) {
      const std::string tactic = key(candidate);
      if (known.contains(tactic)) continue;
      const auto cached = options_.cache ? options_.cache->find(call, tactic) : std::nullopt;
      if (cached)
        known[tactic] = *cached;
      else
        untimed.push_back(&candidate);
    }
    if (!untimed.empty()) {
      if (options_.max_bytes > 0 && timing_bytes(node.call, node.candidates, menu_.threads) > options_.max_bytes) {
        ++menu_.untimed_calls;
        return {};
      }
      const int rounds = rounds_of(options_.tune, untimed.front()->nanoseconds);
      MEML_TRY(const std::vector<double> medians,
               time_candidates(node.call, untimed, rounds, *options_.parallel, options_.cancel));
      ++menu_.timed_calls;
      for (size_t c = 0; c < untimed.size(); ++c) {
        known[key(*untimed[c])] = medians[c];
        if (options_.cache) options_.cache->add(call, key(*untimed[c]), medians[c]);
      }
    } else {
      ++menu_.cached_calls;
    }
    for (Candidate& candidate : node.candidates) {
      candidate.nanoseconds = known[key(candidate)];
      candidate.measured = true;
    }
    return {};
  }

  static std::string key(const Candidate& candidate) {
    return std::string(candidate.tactic->name()) + "/" + std::to_string(candidate.tactic->version());
  }

  Menu& menu_;
  const TuneOptions& options_;
  std::map<std::string, std::map<std::string, double>> times_;
};

}  // namespace

Status choose(Menu& menu, const TuneOptions& options) {
  if (options.tune != Tune::none) MEML_TRY_STATUS(Tuner(menu, options).time_all());
  for (MenuNode& node : menu.nodes) keep_good(node.candidates, menu.threads);
  return {};
}

}  // namespace memline
