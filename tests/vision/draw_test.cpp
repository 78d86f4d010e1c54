#include "vision/draw.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "text_picture.h"
#include "vision/font.h"

namespace memline::vision {
namespace {

constexpr Color kRed{255, 0, 0};

TEST(Draw, ABoxIsAFrameInsideItsHalfOpenEdges) {
  Canvas canvas(7, 6);
  draw_box(canvas.view, {.x0 = 1, .y0 = 1, .x1 = 6, .y1 = 5}, kRed, 1);
  EXPECT_EQ(canvas.text(), "....... .#####. .#...#. .#...#. .#####. .......");
}

TEST(Draw, ABoxPartlyOutsideIsCut) {
  Canvas canvas(4, 4);
  draw_box(canvas.view, {.x0 = -3, .y0 = -3, .x1 = 3, .y1 = 9}, kRed, 1);
  EXPECT_EQ(canvas.text(), "..#. ..#. ..#. ..#.");
}

TEST(Draw, AMaskIsBlendedWhereItsRunsAre) {
  Canvas canvas(4, 3);
  const TextMask mask(1, 1, "#. .#");
  draw_mask(canvas.view, mask.mask, kRed, 0.5f);
  EXPECT_EQ(canvas.text(), ".... .#.. ..#.");
  EXPECT_EQ(canvas.view.at(1, 1)[0], 178);  // (100 + 255) / 2, rounded
  EXPECT_EQ(canvas.view.at(1, 1)[1], 50);
}

TEST(Draw, AMaskPartlyOutsideIsCut) {
  Canvas canvas(3, 2);
  const TextMask mask(-1, -1, "### ### ###");
  draw_mask(canvas.view, mask.mask, kRed, 1);
  EXPECT_EQ(canvas.text(), "##. ##.");
  const TextMask beyond(2, 1, "## ##");
  draw_mask(canvas.view, beyond.mask, kRed, 1);
  EXPECT_EQ(canvas.text(), "##. ###");
}

TEST(Draw, TextLooksLikeItsLetters) {
  Canvas canvas(7, 9);
  draw_text(canvas.view, 0, 0, "T", {100, 100, 100}, 1);
  EXPECT_EQ(canvas.text(), "....... .#####. ...#... ...#... ...#... ...#... ...#... ...#... .......");
}

TEST(Draw, TextOutsideThePictureTouchesNothing) {
  Canvas canvas(5, 5);
  draw_text(canvas.view, 50, -90, "person", kRed, 3);
  EXPECT_EQ(canvas.text(), "..... ..... ..... ..... .....");
}

TEST(Draw, EveryPrintableCharacterHasAGlyphOfItsOwn) {
  std::set<Glyph> glyphs;
  for (char c = ' '; c <= '~'; ++c) glyphs.insert(glyph_of(c));
  EXPECT_EQ(glyphs.size(), 95u);
  EXPECT_EQ(glyph_of('\n'), glyph_of('\x80'));
  EXPECT_NE(glyph_of('\n'), glyph_of(' '));
}

TEST(Draw, NeighbouringNumbersHaveClearlyDifferentColours) {
  for (int64_t i = 0; i < 40; ++i) {
    const Color a = color_of(i), b = color_of(i + 1);
    EXPECT_GT(std::max({std::abs(a.r - b.r), std::abs(a.g - b.g), std::abs(a.b - b.b)}), 80) << i;
  }
  EXPECT_EQ(color_of(3), color_of(3));
}

TEST(Draw, ATracksColourWinsOverItsClass) {
  const std::vector<std::string> names{"person"};
  Canvas tracked(60, 60), plain(60, 60);
  const Detection d{.x0 = 20, .y0 = 20, .x1 = 40, .y1 = 40, .class_id = 0, .track_id = 5};
  draw(tracked.view, std::span(&d, 1), names, {.labels = false});
  const uint8_t* p = tracked.view.at(20, 20);
  EXPECT_EQ((Color{p[0], p[1], p[2]}), color_of(5));
}

TEST(Draw, ALabelAtTheUpperEdgeIsInsideThePicture) {
  const std::vector<std::string> names{"person"};
  Canvas canvas(120, 40);
  const Detection d{.x0 = 100, .y0 = 0, .x1 = 118, .y1 = 38, .score_0to1 = 0.5f};
  draw(canvas.view, std::span(&d, 1), names);
  // "person 0.50" is 11 cells of 6 pixels and a border: it is moved left until it ends at the picture's edge.
  EXPECT_EQ(canvas.text().substr(4 * 121, 120), std::string(53, '.') + std::string(67, '#'));
}

}  // namespace
}  // namespace memline::vision
