// What must hold of any program before a session may be made of it, whoever wrote it: indices exist, blocks are a tree,
// and every byte range lies inside its region. Operands that depend on slots are checked by sessions when the slots are
// known.
#pragma once

#include "engine/program.h"

namespace memline::engine {

// Errors: invalid_argument with reason engine_corrupt; names the step, port, slot or buffer.
Status verify(const Program& program);

}  // namespace memline::engine
