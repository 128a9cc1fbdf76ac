#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/digest.h"
#include "base/error.h"
#include "base/ids.h"
#include "journal/journal.h"
#include "journal/plan_summary.h"
#include "journal/stream_changes.h"

// A plan that has ended as one file: its events as they are in the journal, every content that they name, and
// the files of its folders. docs/formats/archive.md describes the bytes.
namespace agenttalk {

// What an archive may have, at the most. The one that is written is held to it like the one that is read: a
// plan whose archive `import` would refuse must not be removed because it was archived.
struct ArchiveLimits {
  std::uint64_t bytes = std::uint64_t{2} << 30;  // it is held in memory while it is imported
  std::uint64_t files = 1'000'000;
};

struct ArchivedFile {
  std::string path;  // relative to the hub
  std::string bytes;
};

struct PlanArchive {
  PlanId plan;
  std::vector<ImportedRow> rows;
  std::vector<NewContent> contents;
  std::vector<ArchivedFile> files;
  PlanSummary summary;
  std::uint64_t events = 0;
  std::uint64_t first_event = 0;
  std::uint64_t last_event = 0;
  Digest digest;  // of the whole file's entries: which archive it was
};

struct ArchiveReport {
  std::uint64_t events = 0;
  std::uint64_t contents = 0;
  std::uint64_t files = 0;
  std::uint64_t bytes = 0;
};

// The plan must have ended. ALREADY_EXISTS when there is such a file, TOO_LARGE beyond the limits; a folder
// or file of the plan that cannot be read is an error that names it.
Result<ArchiveReport> WriteArchive(Journal& journal, const std::filesystem::path& hub, const PlanId& plan,
                                   const PlanSummary& summary, const std::filesystem::path& file,
                                   const ArchiveLimits& limits = {});

// Reads and checks everything, and folds the events. Nothing in the file is trusted, except that events which
// do not follow from one another may end the process: see CheckArchive.
Result<PlanArchive> ReadArchive(const std::filesystem::path& file, const ArchiveLimits& limits = {});

// As ReadArchive, in a child process, which a hostile archive may end without harm. For a process with one
// thread.
Result<void> CheckArchive(const std::filesystem::path& file);

}  // namespace agenttalk
