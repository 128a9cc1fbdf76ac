#pragma once

#include "base/error.h"
#include "base/file_descriptor.h"

namespace agenttalk {

// A seccomp filter for programs in the sandbox, as a descriptor that bubblewrap reads it from (--seccomp). It
// takes away what no tool needs and much of what breaks out of a sandbox is made with: new namespaces,
// mounts, tracing, the kernel's keyrings, loading code into the kernel, setuid bits, memory that nobody
// counts. A refused call fails with EPERM, or with ENOSYS where programs know another way then. NOT_FOUND:
// not on this architecture.
Result<FileDescriptor> MakeSyscallFilter();

}  // namespace agenttalk
