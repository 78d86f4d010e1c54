// Why a run was refused or failed: the fixed strings that the run path returns. explain() knows them by address and
// makes sentences of them.
#pragma once

namespace memline::runtime {

inline constexpr char kBusy[] = "the session is running already";
inline constexpr char kInputCount[] = "the number of inputs is wrong";
inline constexpr char kOutputCount[] = "the number of outputs is wrong";
inline constexpr char kInputData[] = "an input has no data";
inline constexpr char kInputAddress[] = "an input's address is not a multiple of its element size";
inline constexpr char kInputType[] = "an input has another element type";
inline constexpr char kInputRank[] = "an input has another number of dimensions";
inline constexpr char kInputRange[] = "an input's dimension is outside its range";
inline constexpr char kInputDim[] = "an input's dimension does not agree with the others";
inline constexpr char kInputStrides[] = "an input is not dense and row-major";
inline constexpr char kOutputData[] = "an output has no place: this engine plans none of its own";
inline constexpr char kOutputAddress[] = "an output's address is not a multiple of its element size";
inline constexpr char kCondition[] = "the shapes break a condition of the model";
inline constexpr char kSlotRange[] = "a computed extent is outside its range";
inline constexpr char kCountRange[] = "a step counted more than its bound";
inline constexpr char kTripRange[] = "a loop runs longer than its bound";
inline constexpr char kOperandRange[] = "an operand leaves its memory: the engine is corrupt";

}  // namespace memline::runtime
