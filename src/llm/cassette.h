#pragma once

#include <cstdint>
#include <expected>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/digest.h"
#include "base/ids.h"
#include "base/issue.h"
#include "base/time.h"
#include "model/request/model_request.h"

// A cassette keeps what models were asked and answered, one JSON object a line, so that a plan can be run
// again without them: {"key","request","answer" or "error","elapsed_ms"}. Secrets and fences are taken out,
// so that a cassette can be kept beside the plan and two recordings of the same run are the same text.
namespace agenttalk {

struct CassetteRecord {
  Digest key;            // the request's reuse key: its content without ids, paths and fence
  ModelRequest request;  // for people, and for saying what differs; see ForCassette
  ModelOutcome outcome;
  Duration elapsed{};
};

// The part of a request that a cassette holds: who asked and the content, without secrets and fences.
ModelRequest ForCassette(const ModelRequest& request);

// One line, without its line feed.
std::string EncodeRecord(const CassetteRecord& record);

class Cassette {
 public:
  // Reports every line that cannot be read.
  static std::expected<Cassette, Issues> Parse(std::string_view text);

  // The record of this content. Repeats of the same content within a command (a retry after an error) are
  // told apart by `attempt`; if that very attempt is not there, the nearest earlier one is taken, else the
  // first. Of several commands that asked the same (a task that is run again) the one of this name is meant;
  // where none has it, and of two recordings of the same, the last one counts. Null if there is none.
  [[nodiscard]] const CassetteRecord* Find(const Digest& key, std::uint32_t attempt,
                                           const CommandId& command = {}) const;

  // What differs from the most similar recorded request, in words.
  [[nodiscard]] std::string ExplainMiss(const ModelRequest& request) const;

  [[nodiscard]] const std::vector<CassetteRecord>& records() const { return records_; }

 private:
  std::vector<CassetteRecord> records_;
  std::map<std::pair<Digest, std::uint32_t>, std::vector<std::size_t>> index_;
};

}  // namespace agenttalk
