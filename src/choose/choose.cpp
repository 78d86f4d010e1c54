#include "choose/choose.h"

#include <algorithm>
#include <map>

#include "choose/timer.h"

namespace memline {
namespace {

constexpr double kNearTie = 1.03;

int64_t held_bytes(const Candidate& candidate, int threads) {
  return candidate.packed_bytes + candidate.workspace.total(threads);
}

void drop_reference_if_others(std::vector<Candidate>& candidates) {
  if (candidates.size() > 1 && candidates.back().tactic->name().ends_with(".reference")) candidates.pop_back();
}

// Candidates come in list order. Afterwards: fastest first, each further one leaner than all before it.
void keep_front(std::vector<Candidate>& candidates, int threads) {
  std::vector<Candidate> rest = std::move(candidates);
  candidates.clear();
  while (!rest.empty()) {
    const double best = std::min_element(rest.begin(), rest.end(), [](const Candidate& a, const Candidate& b) {
                          return a.nanoseconds < b.nanoseconds;
                        })->nanoseconds;
    const auto first =
        std::find_if(rest.begin(), rest.end(), [&](const Candidate& c) { return c.nanoseconds <= best * kNearTie; });
    const Candidate taken = *first;
    candidates.push_back(taken);
    std::erase_if(rest, [&](const Candidate& c) { return held_bytes(c, threads) >= held_bytes(taken, threads); });
  }
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
      if (options_.max_bytes > 0 && timing_bytes(node.call, node.candidates, menu_.threads) > options_.max_bytes)
        return {};
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

Result<Menu> choose(std::shared_ptr<const Graph> graph, const Backend& backend, const TuneOptions& options) {
  MEML_TRY(Menu menu, lower(std::move(graph), backend, options.lower));
  for (MenuNode& node : menu.nodes) drop_reference_if_others(node.candidates);
  if (options.tune != Tune::none) MEML_TRY_STATUS(Tuner(menu, options).time_all());
  for (MenuNode& node : menu.nodes) keep_front(node.candidates, menu.threads);
  return menu;
}

}  // namespace memline
