#pragma once

#include <sqlite3.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <string>

namespace agenttalk {

// For tests: while it exists, SQLite's files go through it, and writes or syncs fail on demand.
class FaultVfs {
 public:
  enum class Fault { kNone, kFullDisk, kFailedWrite, kFailedSync, kReadOnlyOpen };

  FaultVfs() : real_(sqlite3_vfs_find(nullptr)) {
    current_ = this;
    vfs_ = *real_;
    vfs_.zName = "agenttalk-faults";
    vfs_.szOsFile = static_cast<int>(sizeof(File)) + real_->szOsFile;
    vfs_.pNext = nullptr;
    vfs_.xOpen = &Open;
    sqlite3_vfs_register(&vfs_, 1);
  }
  ~FaultVfs() {
    sqlite3_vfs_unregister(&vfs_);
    sqlite3_vfs_register(real_, 1);
    current_ = nullptr;
  }
  FaultVfs(const FaultVfs&) = delete;
  FaultVfs& operator=(const FaultVfs&) = delete;

  // From now on, for files whose name ends so ("" for all).
  void Inject(Fault fault, std::string suffix = "") {
    fault_ = fault;
    suffix_ = std::move(suffix);
  }
  [[nodiscard]] int syncs() const { return syncs_; }

 private:
  // SQLite allocates szOsFile bytes: ours, then the real file's.
  struct File {
    sqlite3_file base;
    sqlite3_io_methods methods;
    const sqlite3_io_methods* real_methods;
    const char* name;
  };
  static sqlite3_file* RealOf(sqlite3_file* file) {
    return reinterpret_cast<sqlite3_file*>(reinterpret_cast<File*>(file) + 1);
  }
  static bool Hits(sqlite3_file* file, Fault fault) {
    const char* name = reinterpret_cast<File*>(file)->name;
    const std::string text = name == nullptr ? "" : name;
    return current_->fault_ == fault && text.ends_with(current_->suffix_);
  }

  static int Open(sqlite3_vfs*, const char* name, sqlite3_file* file, int flags, int* out_flags) {
    auto* ours = new (file) File{};
    if (current_->fault_ == Fault::kReadOnlyOpen) {
      flags = (flags & ~(SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE)) | SQLITE_OPEN_READONLY;
    }
    const int result = current_->real_->xOpen(current_->real_, name, RealOf(file), flags, out_flags);
    if (RealOf(file)->pMethods == nullptr) return result;
    ours->name = name;
    ours->methods = Forwarding(RealOf(file)->pMethods->iVersion);
    ours->base.pMethods = &ours->methods;
    return result;
  }
  static int Write(sqlite3_file* file, const void* data, int size, sqlite3_int64 offset) {
    if (Hits(file, Fault::kFullDisk)) return SQLITE_FULL;
    if (Hits(file, Fault::kFailedWrite)) return SQLITE_IOERR_WRITE;
    return RealOf(file)->pMethods->xWrite(RealOf(file), data, size, offset);
  }
  static int Sync(sqlite3_file* file, int flags) {
    if (Hits(file, Fault::kFailedSync)) return SQLITE_IOERR_FSYNC;
    ++current_->syncs_;
    return RealOf(file)->pMethods->xSync(RealOf(file), flags);
  }
  static sqlite3_io_methods Forwarding(int version) {
    sqlite3_io_methods m{};
    m.iVersion = std::min(version, 2);  // without xFetch: reads go through xRead
    m.xWrite = &Write;
    m.xSync = &Sync;
    m.xClose = [](sqlite3_file* f) { return RealOf(f)->pMethods->xClose(RealOf(f)); };
    m.xRead = [](sqlite3_file* f, void* data, int size, sqlite3_int64 at) {
      return RealOf(f)->pMethods->xRead(RealOf(f), data, size, at);
    };
    m.xTruncate = [](sqlite3_file* f, sqlite3_int64 size) {
      return RealOf(f)->pMethods->xTruncate(RealOf(f), size);
    };
    m.xFileSize = [](sqlite3_file* f, sqlite3_int64* size) {
      return RealOf(f)->pMethods->xFileSize(RealOf(f), size);
    };
    m.xLock = [](sqlite3_file* f, int lock) { return RealOf(f)->pMethods->xLock(RealOf(f), lock); };
    m.xUnlock = [](sqlite3_file* f, int lock) { return RealOf(f)->pMethods->xUnlock(RealOf(f), lock); };
    m.xCheckReservedLock = [](sqlite3_file* f, int* out) {
      return RealOf(f)->pMethods->xCheckReservedLock(RealOf(f), out);
    };
    m.xFileControl = [](sqlite3_file* f, int op, void* arg) {
      return RealOf(f)->pMethods->xFileControl(RealOf(f), op, arg);
    };
    m.xSectorSize = [](sqlite3_file* f) { return RealOf(f)->pMethods->xSectorSize(RealOf(f)); };
    m.xDeviceCharacteristics = [](sqlite3_file* f) {
      return RealOf(f)->pMethods->xDeviceCharacteristics(RealOf(f));
    };
    m.xShmMap = [](sqlite3_file* f, int page, int size, int extend, void volatile** out) {
      return RealOf(f)->pMethods->xShmMap(RealOf(f), page, size, extend, out);
    };
    m.xShmLock = [](sqlite3_file* f, int offset, int n, int flags) {
      return RealOf(f)->pMethods->xShmLock(RealOf(f), offset, n, flags);
    };
    m.xShmBarrier = [](sqlite3_file* f) { RealOf(f)->pMethods->xShmBarrier(RealOf(f)); };
    m.xShmUnmap = [](sqlite3_file* f, int remove) {
      return RealOf(f)->pMethods->xShmUnmap(RealOf(f), remove);
    };
    return m;
  }

  static inline FaultVfs* current_ = nullptr;
  sqlite3_vfs* real_;
  sqlite3_vfs vfs_{};
  Fault fault_ = Fault::kNone;
  std::string suffix_;
  int syncs_ = 0;
};

}  // namespace agenttalk
