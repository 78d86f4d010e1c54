// coco_counts: a pixel starts a run where it is foreground and the one above is not, and ends one where it is the other
// way round. Comparing each row's stretches with those of the row above gives all such places; sorted by column they
// are the runs.
#include "vision/mask_runs.h"

namespace memline::vision {
namespace {

struct Stretch {
  int64_t x0;
  int64_t x1;
};

// Toggles at row y: the columns in exactly one of the two rows.
void add_toggles(const std::vector<Stretch>& above, const std::vector<Stretch>& here, int64_t y, int64_t height,
                 std::vector<int64_t>& toggles) {
  std::vector<int64_t> edges;
  for (const auto* row : {&above, &here}) {
    for (const Stretch& s : *row) edges.insert(edges.end(), {s.x0, s.x1});
  }
  std::sort(edges.begin(), edges.end());
  for (size_t i = 0; i + 1 < edges.size(); i += 2) {
    for (int64_t x = edges[i]; x < edges[i + 1]; ++x) toggles.push_back(x * height + y);
  }
}

}  // namespace

int64_t mask_area(const MaskRuns& mask) {
  int64_t area = 0;
  for_each_stretch(mask, [&](int64_t, int64_t x0, int64_t x1) { area += x1 - x0; });
  return area;
}

std::vector<int64_t> coco_counts(const MaskRuns& mask, int64_t picture_width, int64_t picture_height) {
  std::vector<int64_t> toggles;
  std::vector<Stretch> above, here;
  int64_t row = mask.y0;
  const auto end_row = [&] {
    add_toggles(above, here, row, picture_height, toggles);
    std::swap(above, here);
    here.clear();
    ++row;
  };
  for_each_stretch(mask, [&](int64_t y, int64_t x0, int64_t x1) {
    while (row < y) end_row();
    if (!here.empty() && here.back().x1 == x0) {
      here.back().x1 = x1;
    } else {
      here.push_back({x0, x1});
    }
  });
  end_row();
  end_row();
  std::sort(toggles.begin(), toggles.end());
  std::vector<int64_t> counts;
  int64_t previous = 0;
  for (size_t i = 0; i < toggles.size(); ++i) {
    // A column that ends at the bottom and a next one that begins at the top toggle the same place twice.
    if (i + 1 < toggles.size() && toggles[i] == toggles[i + 1]) {
      ++i;
      continue;
    }
    counts.push_back(toggles[i] - previous);
    previous = toggles[i];
  }
  const int64_t rest = picture_width * picture_height - previous;
  if (rest > 0 || counts.empty()) counts.push_back(rest);
  return counts;
}

std::string coco_string(const std::vector<int64_t>& counts) {
  std::string text;
  for (size_t i = 0; i < counts.size(); ++i) {
    int64_t value = i > 2 ? counts[i] - counts[i - 2] : counts[i];
    bool more = true;
    while (more) {
      const int64_t five = value & 31;
      value >>= 5;
      more = (five & 16) != 0 ? value != -1 : value != 0;
      text.push_back(static_cast<char>(48 + five + (more ? 32 : 0)));
    }
  }
  return text;
}

}  // namespace memline::vision
