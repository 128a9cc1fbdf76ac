#include "simulation/parts.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/error_code.h"
#include "base/ids.h"
#include "journal/journal.h"
#include "llm/model_provider.h"
#include "model/content/named_content.h"
#include "model/request/model_request.h"
#include "simulation/chance.h"
#include "simulation/oracle.h"
#include "tools/tool_runner.h"

namespace agenttalk {
namespace {

// "plan/command/call", as the call desk names a call to the outside.
Oracle::CallKey ParseKey(const std::string& text) {
  const std::size_t first = text.find('/');
  const std::size_t second = text.find('/', first + 1);
  return {text.substr(0, first), text.substr(first + 1, second - first - 1),
          static_cast<std::uint32_t>(std::stoul(text.substr(second + 1)))};
}

}  // namespace

std::optional<std::uint64_t> SimCommits::Commit(std::size_t count) {
  count = std::min(count, waiting_.size());
  if (count == 0) return std::nullopt;
  const std::vector<Append> batch(
      std::make_move_iterator(waiting_.begin()),
      std::make_move_iterator(waiting_.begin() + static_cast<std::ptrdiff_t>(count)));
  waiting_.erase(waiting_.begin(), waiting_.begin() + static_cast<std::ptrdiff_t>(count));
  if (auto committed = journal_.Commit(batch, epoch_); !committed) {
    throw Violation("a commit was refused: " + committed.error().message);
  }
  return LastEventOf(batch);
}

class SimModel::Handle final : public ModelCall {
 public:
  Handle(SimModel& model, std::uint64_t id) : model_(model), id_(id) {}
  ~Handle() override { model_.Cancel(id_); }

 private:
  SimModel& model_;
  std::uint64_t id_;
};

std::unique_ptr<ModelCall> SimModel::Ask(ModelRequest request, Done done) {
  oracle_.ModelAsked({request.ids.plan.str(), request.ids.command.str(), request.ids.attempt});
  calls_.push_back({++next_, std::move(request), std::move(done), false});
  return std::make_unique<Handle>(*this, next_);
}

void SimModel::Cancel(std::uint64_t id) {
  std::erase_if(calls_, [&](const Call& call) { return call.id == id; });
}

ModelOutcome SimModel::Outcome(const Call& call, Chance& chance, bool honest) const {
  ModelAnswer answer;
  answer.usage = {20 + chance.Below(50), chance.Below(30), 0, 0};
  const std::uint64_t mood = honest ? 0 : chance.Below(10);
  if (mood == 1) return std::unexpected(ModelError{ModelErrorKind::kStatus, 503, {}, true, "overloaded", {}});
  if (mood == 2)
    return std::unexpected(ModelError{ModelErrorKind::kStatus, 400, {}, false, "bad request", {}});
  if (mood == 3) return std::unexpected(ModelError{ModelErrorKind::kDisconnect, 0, {}, true, "reset", {}});
  answer.text = R"({"result":"did )" + call.request.ids.command.str() + R"(","score":)" +
                std::to_string(chance.Below(101)) + "}";
  if (mood == 4) answer.text = "I would rather not say.";
  if (mood == 5) answer.text = R"({"result": 7, "score": 400})";
  if (mood == 6)
    answer.text = R"({"tool_calls":[{"name":"look","arguments":{}},{"name":"mail","arguments":{}}]})";
  if (mood == 8)
    answer.text =
        R"({"tool_calls":[{"name":"write","arguments":{"n":1}},{"name":"write","arguments":{"n":2}}]})";
  if (mood == 7) answer.text = R"({"tool_calls":[{"name":"hack","arguments":{}}]})";
  return answer;
}

void SimModel::ReplyTo(std::size_t index, Chance& chance, bool honest) {
  Call& call = calls_[index];
  if (honest) call.never = false;
  if (call.never) return;
  if (!honest && chance.OneIn(12)) {
    call.never = true;
    return;
  }
  const Call taken = std::move(call);
  calls_.erase(calls_.begin() + static_cast<std::ptrdiff_t>(index));
  taken.done({Outcome(taken, chance, honest), {}});
}

class SimTools::Handle final : public RunningTool {
 public:
  Handle(SimTools& tools, std::uint64_t id) : tools_(tools), id_(id) {}
  ~Handle() override { tools_.GiveUp(id_); }

 private:
  SimTools& tools_;
  std::uint64_t id_;
};

std::vector<ToolSpec> SimTools::ToolsOf(const AgentId& /*agent*/) const {
  return {{"look", "looks", "{}"}, {"mail", "mails", "{}"}, {"write", "writes", "{}"}};
}

std::optional<Error> SimTools::Refuse(const AgentId& /*agent*/, const ToolCall& call) const {
  if (call.name == "look" || call.name == "mail" || call.name == "write") return std::nullopt;
  return Error{ErrorCode::kPermissionDenied, "there is no tool " + call.name, {}};
}

std::unique_ptr<RunningTool> SimTools::Run(ToolInvocation invocation, Done done) {
  oracle_.ToolRun(ParseKey(invocation.idempotency_key), IsIdempotent(invocation.tool));
  oracle_.FolderGiven(invocation);
  runs_.push_back({++next_, std::move(invocation), std::move(done)});
  return std::make_unique<Handle>(*this, next_);
}

void SimTools::GiveUp(std::uint64_t id) {
  std::erase_if(runs_, [&](const OpenRun& run) { return run.id == id; });
}

void SimTools::Finish(std::size_t index, Chance& chance, bool honest) {
  const OpenRun taken = std::move(runs_[index]);
  runs_.erase(runs_.begin() + static_cast<std::ptrdiff_t>(index));
  ToolOutcomeReport report{"done", {}};
  if (!honest && chance.OneIn(6)) report.error = Error{ErrorCode::kIo, "the tool broke", {}};
  if (!honest && chance.OneIn(8)) report.error = Error{ErrorCode::kOutcomeUnknown, "timed out", {}};
  if (taken.invocation.tool == "write") Write(taken.invocation, chance, report);
  taken.done(std::move(report));
}

void SimTools::Write(const ToolInvocation& invocation, Chance& chance, ToolOutcomeReport& report) {
  const auto recorded = [&](const std::string& name) {
    return std::ranges::find(invocation.outputs, name, &NamedContent::name) != invocation.outputs.end();
  };
  for (const char* name : {"a.md", "b.bin", "deep/c.md"}) {
    const std::uint64_t what = chance.Below(3);
    if (what == 0)
      report.left.push_back({name, invocation.idempotency_key + std::string(chance.Below(3000), '\0')});
    if (what == 1 && recorded(name)) report.removed.emplace_back(name);
  }
  oracle_.FilesLeft(ParseKey(invocation.idempotency_key), report);
}

}  // namespace agenttalk
