// Words, quotes and slot names of the text form, for its printer and its parser.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace memline::text_names {

bool is_word(std::string_view text);       // letters, digits, '_' and '.', not beginning with a digit, and not "_"
bool is_slot_word(std::string_view text);  // a word that no expression uses: not min, mod, s0, ...
std::string quote(std::string_view text);  // "..." with \" and \\ escaped, newlines as \n
std::string word(std::string_view text);   // itself, or quoted

// "f32[1,s0*2]" -> "f32[1,h*2]" for words = {"h"}; and back.
std::string rename_slots(std::string_view type, std::span<const std::string> words);
std::string number_slots(std::string_view type, std::span<const std::string> words);

}  // namespace memline::text_names
