#include "cli/command.h"

int main(int argc, char** argv) { return memline::cli::main(argc, argv); }
