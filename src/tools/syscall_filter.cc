#include "tools/syscall_filter.h"

#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/error_code.h"
#include "base/file_descriptor.h"

namespace agenttalk {
namespace {

#if defined(__x86_64__)
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_AARCH64;
#else
constexpr std::uint32_t kArchitecture = 0;
#endif

constexpr std::uint32_t kSetIdBits = S_ISUID | S_ISGID;
// O_TMPFILE has O_DIRECTORY in it, which is no reason for anything.
constexpr std::uint32_t kMakesFile = O_CREAT | (O_TMPFILE & ~O_DIRECTORY);
constexpr std::uint32_t kNamespaces =
    CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET;
constexpr std::uint32_t kX32Bit = 0x40000000;
// Newer than the headers of this system.
constexpr long kMemfdSecret = 447;
constexpr long kFchmodat2 = 452;

// The lower half of an argument; all that is asked here is in it.
constexpr std::uint32_t ArgumentAt(unsigned number) {
  return static_cast<std::uint32_t>(offsetof(seccomp_data, args) + 8 * std::size_t{number});
}

class Program {
 public:
  void Emit(std::uint16_t code, std::uint32_t value, std::uint8_t if_true = 0, std::uint8_t if_false = 0) {
    steps_.push_back({code, if_true, if_false, value});
  }
  void Load(std::uint32_t at) { Emit(BPF_LD | BPF_W | BPF_ABS, at); }
  void Return(std::uint32_t what) { Emit(BPF_RET | BPF_K, what); }
  void Fail(int error) { Return(SECCOMP_RET_ERRNO | (static_cast<std::uint32_t>(error) & SECCOMP_RET_DATA)); }

  // Refuses the call, whatever its arguments. The number is in the accumulator before and after.
  void Refuse(long call, int error) {
    Emit(BPF_JMP | BPF_JEQ | BPF_K, static_cast<std::uint32_t>(call), 0, 1);
    Fail(error);
  }
  // Refuses it when one of `bits` is set in that argument.
  void RefuseBits(long call, unsigned argument, std::uint32_t bits, int error) {
    Emit(BPF_JMP | BPF_JEQ | BPF_K, static_cast<std::uint32_t>(call), 0, 4);
    Load(ArgumentAt(argument));
    Emit(BPF_JMP | BPF_JSET | BPF_K, bits, 0, 1);
    Fail(error);
    Return(SECCOMP_RET_ALLOW);
  }
  // The mode of an open means something only when it makes a file; else it is whatever was in the register.
  void RefuseMakingSetId(long call, unsigned flags, unsigned mode) {
    Emit(BPF_JMP | BPF_JEQ | BPF_K, static_cast<std::uint32_t>(call), 0, 6);
    Load(ArgumentAt(flags));
    Emit(BPF_JMP | BPF_JSET | BPF_K, kMakesFile, 0, 3);
    Load(ArgumentAt(mode));
    Emit(BPF_JMP | BPF_JSET | BPF_K, kSetIdBits, 0, 1);
    Fail(EPERM);
    Return(SECCOMP_RET_ALLOW);
  }

  [[nodiscard]] const std::vector<sock_filter>& steps() const { return steps_; }

 private:
  std::vector<sock_filter> steps_;
};

void CheckArchitecture(Program& program) {
  program.Load(offsetof(seccomp_data, arch));
  program.Emit(BPF_JMP | BPF_JEQ | BPF_K, kArchitecture, 1, 0);
  program.Fail(ENOSYS);  // calls of another architecture have other numbers
  program.Load(offsetof(seccomp_data, nr));
#if defined(__x86_64__)
  program.Emit(BPF_JMP | BPF_JGE | BPF_K, kX32Bit, 0, 1);
  program.Fail(ENOSYS);
#endif
}

// Nobody needs these in a sandbox.
constexpr long kForbidden[] = {
    // namespaces, mounts, roots
    SYS_unshare,
    SYS_setns,
    SYS_mount,
    SYS_umount2,
    SYS_pivot_root,
    SYS_chroot,
    SYS_move_mount,
    SYS_open_tree,
    SYS_fsopen,
    SYS_fsconfig,
    SYS_fsmount,
    SYS_fspick,
    SYS_mount_setattr,
    SYS_quotactl,
    SYS_quotactl_fd,
    // other processes
    SYS_ptrace,
    SYS_process_vm_readv,
    SYS_process_vm_writev,
    SYS_kcmp,
    SYS_pidfd_getfd,
    SYS_process_madvise,
    // keyrings
    SYS_add_key,
    SYS_request_key,
    SYS_keyctl,
    // the kernel
    SYS_bpf,
    SYS_perf_event_open,
    SYS_userfaultfd,
    SYS_init_module,
    SYS_finit_module,
    SYS_delete_module,
    SYS_kexec_load,
    SYS_kexec_file_load,
    SYS_reboot,
    SYS_swapon,
    SYS_swapoff,
    SYS_acct,
    SYS_syslog,
    SYS_open_by_handle_at,
    SYS_name_to_handle_at,
    SYS_lookup_dcookie,
    SYS_nfsservctl,
    SYS_vhangup,
    SYS_settimeofday,
    SYS_clock_settime,
    SYS_adjtimex,
    SYS_clock_adjtime,
    SYS_sethostname,
    SYS_setdomainname,
    SYS_mbind,
    SYS_set_mempolicy,
    SYS_migrate_pages,
    SYS_move_pages,
    SYS_fanotify_init,
    // memory that belongs to no process
    SYS_shmget,
    SYS_msgget,
#if defined(__x86_64__)
    SYS_iopl,
    SYS_ioperm,
    SYS_modify_ldt,
    SYS_uselib,
    SYS_kexec_load,
    SYS_create_module,
    SYS_get_kernel_syms,
    SYS_query_module,
    SYS__sysctl,
    SYS_ustat,
    SYS_sysfs,
#endif
};

// Programs take another way when these are not there.
constexpr long kUnknown[] = {SYS_clone3,         SYS_openat2,           SYS_io_uring_setup,
                             SYS_io_uring_enter, SYS_io_uring_register, SYS_memfd_create,
                             kMemfdSecret};

// Calls that are refused when one of `bits` is set in an argument.
struct ForbiddenBits {
  long call;
  unsigned argument;
  std::uint32_t bits;
};
constexpr ForbiddenBits kForbiddenBits[] = {
    {SYS_clone, 0, kNamespaces}, {SYS_fchmod, 1, kSetIdBits},  {SYS_fchmodat, 2, kSetIdBits},
    {kFchmodat2, 2, kSetIdBits}, {SYS_mknodat, 2, kSetIdBits},
#if defined(__x86_64__)
    {SYS_chmod, 1, kSetIdBits},  {SYS_creat, 1, kSetIdBits},   {SYS_mknod, 1, kSetIdBits},
#endif
};

void RefuseCalls(Program& program) {
  for (const long call : kForbidden) program.Refuse(call, EPERM);
  for (const long call : kUnknown) program.Refuse(call, ENOSYS);
  for (const ForbiddenBits& one : kForbiddenBits) program.RefuseBits(one.call, one.argument, one.bits, EPERM);
  program.RefuseMakingSetId(SYS_openat, 2, 3);
#if defined(__x86_64__)
  program.RefuseMakingSetId(SYS_open, 1, 2);
#endif
}

}  // namespace

Result<FileDescriptor> MakeSyscallFilter() {
  if (kArchitecture == 0)
    return Fail(ErrorCode::kNotFound, "there is no filter of system calls for this machine");
  Program program;
  CheckArchitecture(program);
  RefuseCalls(program);
  program.Return(SECCOMP_RET_ALLOW);
  FileDescriptor file(::memfd_create("agenttalk-filter", MFD_CLOEXEC));
  if (!file.valid()) return FailErrno("memfd_create");
  const std::size_t size = program.steps().size() * sizeof(sock_filter);
  if (::write(file.get(), program.steps().data(), size) != static_cast<ssize_t>(size))
    return FailErrno("write the filter");
  if (::lseek(file.get(), 0, SEEK_SET) != 0) return FailErrno("lseek");
  return file;
}

}  // namespace agenttalk
