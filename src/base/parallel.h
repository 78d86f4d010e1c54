// Parallel: how a kernel shares out work inside one step. A call runs tasks 0..count-1, each exactly once, on the
// calling thread (participant 0) and on whatever pool threads are free at that moment, and returns when all are done.
// Which participant gets which task is not defined: a kernel may share out outputs by task, never a sum. Scratch is
// indexed by participant. Nothing here allocates or throws.
#pragma once

#include <cstdint>
#include <type_traits>

namespace memline {

class Parallel {
 public:
  using Task = void (*)(void* context, int64_t task, int participant);

  // The number of participants a call may have at most, >= 1; participants are numbered below it.
  virtual int width() const noexcept = 0;
  virtual void run(int64_t count, Task task, void* context) noexcept = 0;

  // f(task, participant) for each task in [0, count).
  template <typename F>
  void for_each(int64_t count, F&& f) noexcept {
    run(
        count,
        [](void* context, int64_t task, int participant) {
          (*static_cast<std::remove_reference_t<F>*>(context))(task, participant);
        },
        const_cast<void*>(static_cast<const void*>(&f)));
  }

 protected:
  ~Parallel() = default;
};

// Runs everything on the calling thread.
class Serial final : public Parallel {
 public:
  int width() const noexcept override { return 1; }
  void run(int64_t count, Task task, void* context) noexcept override {
    for (int64_t i = 0; i < count; ++i) task(context, i, 0);
  }
};

}  // namespace memline
