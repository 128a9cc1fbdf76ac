#include "runtime/retention/put_away.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <system_error>
#include <utility>

#include "base/error.h"
#include "base/ids.h"
#include "journal/journal.h"
#include "journal/plan_summary.h"
#include "runtime/retention/plan_archive.h"

namespace agenttalk {
namespace {

namespace fs = std::filesystem;

// A plan may be removed, run again and removed again: the second one is `X.2.tar`.
fs::path ArchiveName(const fs::path& folder, const PlanId& plan, int number) {
  return folder / (number == 1 ? plan.str() + ".tar" : fmt::format("{}.{}.tar", plan.str(), number));
}

bool HaveSameBytes(const fs::path& one, const fs::path& other) {
  std::error_code failed;
  if (fs::file_size(one, failed) != fs::file_size(other, failed) || failed) return false;
  std::ifstream left(one, std::ios::binary);
  std::ifstream right(other, std::ios::binary);
  using Bytes = std::istreambuf_iterator<char>;
  return left && right && std::equal(Bytes(left), Bytes(), Bytes(right), Bytes());
}

}  // namespace

Result<PutAwayFile> PutAway(Journal& journal, const fs::path& hub, const PlanSummary& plan,
                            const fs::path& folder) {
  int number = 1;
  std::error_code ignored;
  while (fs::exists(fs::symlink_status(ArchiveName(folder, plan.plan, number), ignored))) ++number;
  fs::path file = ArchiveName(folder, plan.plan, number);
  TRY(WriteArchive(journal, hub, plan.plan, plan, file));
  for (int earlier = 1; earlier < number; ++earlier) {
    fs::path same = ArchiveName(folder, plan.plan, earlier);
    if (!HaveSameBytes(file, same)) continue;
    fs::remove(file, ignored);
    return PutAwayFile{std::move(same), false};
  }
  return PutAwayFile{std::move(file), true};
}

}  // namespace agenttalk
