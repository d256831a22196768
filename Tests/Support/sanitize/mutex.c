// Shows the thread sanitizer what it cannot see: how `Synchronization.Mutex` is handed over when threads wait for it.
//
//   clang -O2 -shared -fPIC -o mutex.so mutex.c && LD_PRELOAD=$PWD/mutex.so TSAN_OPTIONS=… a-sanitized-program
//
// Without contention a mutex is one atomic operation, which is inlined and instrumented. With contention it is handed over by the
// kernel (FUTEX_LOCK_PI) inside libswiftSynchronization, which is not instrumented, so that correct code is reported as a race. These
// functions stand before the library's own and report the handover to the sanitizer; what is a race without the mutex stays one.
// Nothing happens in a program without the sanitizer.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>

#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context))
// _MutexHandle._lockSlow(UInt32), ._tryLockSlow() and ._unlockSlow()
#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define TRY "$s15Synchronization12_MutexHandleV12_tryLockSlowSbyF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

extern void __tsan_acquire(void *) __attribute__((weak));
extern void __tsan_release(void *) __attribute__((weak));

typedef SWIFT void lock_function(uint32_t, SELF void *);
typedef SWIFT uint8_t try_function(SELF void *);
typedef SWIFT void unlock_function(SELF void *);

lock_function lock_slow __asm__(LOCK);
try_function try_lock_slow __asm__(TRY);
unlock_function unlock_slow __asm__(UNLOCK);

static lock_function *next_lock;
static try_function *next_try;
static unlock_function *next_unlock;

// Before any thread but the first; a program without the library never calls them.
__attribute__((constructor)) static void find(void) {
  next_lock = (lock_function *)dlsym(RTLD_NEXT, LOCK);
  next_try = (try_function *)dlsym(RTLD_NEXT, TRY);
  next_unlock = (unlock_function *)dlsym(RTLD_NEXT, UNLOCK);
}

SWIFT void lock_slow(uint32_t thread, SELF void *mutex) {
  next_lock(thread, mutex);
  if (__tsan_acquire) __tsan_acquire(mutex);
}

SWIFT uint8_t try_lock_slow(SELF void *mutex) {
  uint8_t locked = next_try(mutex);
  if (locked & 1 && __tsan_acquire) __tsan_acquire(mutex);
  return locked;
}

SWIFT void unlock_slow(SELF void *mutex) {
  if (__tsan_release) __tsan_release(mutex);
  next_unlock(mutex);
}
