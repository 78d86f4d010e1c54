// NumPy's .npy files, versions 1 to 3, C order, little-endian: what `run` reads and writes.
#pragma once

#include <string>
#include <vector>

#include "memline/result.hpp"
#include "memline/tensor.hpp"

namespace memline::cli {

struct NpyArray {
  DType dtype = DType::f32;
  std::vector<int64_t> dims;
  std::vector<char> bytes;
};

// Errors: not_found, io_error; invalid_argument for what is not .npy, is in Fortran order, or has a dtype Memline
// lacks.
Result<NpyArray> read_npy(const std::string& path);
Status write_npy(const std::string& path, const TensorRef& tensor);
int64_t dtype_bytes(DType dtype);

}  // namespace memline::cli
