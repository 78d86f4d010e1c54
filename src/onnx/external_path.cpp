#include "onnx/external_path.h"

#include <climits>
#include <cstdlib>
#include <memory>

namespace memline::onnx {
namespace {

bool has_parent_step(std::string_view path) {
  while (!path.empty()) {
    const size_t end = path.find('/');
    if (path.substr(0, end) == "..") return true;
    if (end == std::string_view::npos) break;
    path.remove_prefix(end + 1);
  }
  return false;
}

Result<std::string> resolve(const std::string& path) {
  const std::unique_ptr<char, decltype(&std::free)> resolved(::realpath(path.c_str(), nullptr), std::free);
  if (resolved == nullptr) return not_found("external weights '{}' do not exist", path);
  return std::string(resolved.get());
}

}  // namespace

Result<std::string> resolve_external(const std::string& folder, std::string_view location) {
  if (location.empty()) return invalid_model("its bytes are in another file, but no location is given");
  if (location.find('\0') != std::string_view::npos) return invalid_model("its external location holds a zero byte");
  if (location.front() == '/' || location.find('\\') != std::string_view::npos ||
      location.find(':') != std::string_view::npos)
    return invalid_model("external weights path '{}' leaves the model's folder: it must be relative, with '/' only",
                         location);
  if (has_parent_step(location))
    return invalid_model("external weights path '{}' leaves the model's folder by '..'", location);
  if (folder.empty())
    return invalid_argument("its bytes are in '{}', but the model came from memory: say in which folder it lies",
                            location);
  MEML_TRY(const std::string root, resolve(folder));
  MEML_TRY(std::string path, resolve(root + "/" + std::string(location)));
  const std::string inside = root == "/" ? root : root + "/";
  if (path.compare(0, inside.size(), inside) != 0)
    return invalid_model("external weights path '{}' leaves the model's folder through a link", location);
  return path;
}

}  // namespace memline::onnx
