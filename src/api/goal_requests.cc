#include "api/goal_requests.h"

#include <boost/json.hpp>
#include <cctype>
#include <cstddef>
#include <expected>
#include <string>
#include <string_view>
#include <utility>

#include "api/given_files.h"
#include "api/hub_service.h"
#include "api/parameters.h"
#include "api/submit.h"
#include "base/digest.h"
#include "base/error.h"
#include "base/error_code.h"
#include "base/ids.h"
#include "engine/state/plan_state.h"
#include "engine/turn/input.h"
#include "engine/turn/turn.h"
#include "runtime/core/core.h"
#include "runtime/hub.h"

namespace agenttalk {
namespace {

namespace json = boost::json;

constexpr std::size_t kLongestWords = 64 * 1024;

Result<std::string> Words(const json::object& parameters, const char* name) {
  std::string words = TRY(Text(parameters, name));
  if (words.find_first_not_of(" \t\r\n") == std::string::npos) {
    return Fail(ErrorCode::kPromptEmpty, std::string(name) + " says nothing", "say what is wanted");
  }
  if (words.size() > kLongestWords) {
    return Fail(ErrorCode::kTooLarge, std::string(name) + " is longer than 64 KiB",
                "say it shorter, and give the rest as files");
  }
  return words;
}

Result<GoalSubmission> ReadGoal(const json::object& parameters) {
  GoalSubmission submission;
  submission.goal = TRY(Words(parameters, "goal"));
  submission.plan_id = PlanId(TRY(OptionalText(parameters, "plan_id")));
  if (submission.plan_id.empty()) submission.plan_id = PlanIdOfGoal(submission.goal);
  if (!IsSafeName(submission.plan_id.str())) {
    return Fail(ErrorCode::kNameUnsafe, "that cannot be the id of a plan");
  }
  submission.files = TRY(GivenFiles(parameters));
  submission.tags.added = TRY(AddedTags(parameters));
  submission.author = TRY(OptionalText(parameters, "author"));
  submission.client_id = TRY(OptionalText(parameters, "client_id"));
  const json::value* fresh = parameters.if_contains("fresh");
  submission.fresh = fresh != nullptr && fresh->is_bool() && fresh->as_bool();
  return submission;
}

bool IsToBeBegun(Hub& hub, const GoalSubmission& goal) {
  const auto plan = hub.core().LookUp(goal.plan_id);
  return goal.fresh || !plan || *plan == nullptr || !(*plan)->opened;
}

Result<PlanRemark> ReadRemark(const json::object& parameters) {
  PlanRemark remark;
  remark.plan_id = TRY(PlanOf(parameters));
  remark.text = TRY(Words(parameters, "text"));
  remark.author = TRY(OptionalText(parameters, "author"));
  remark.client_id = TRY(OptionalText(parameters, "client_id"));
  return remark;
}

}  // namespace

PlanId PlanIdOfGoal(std::string_view goal) {
  constexpr std::size_t kLongestSlug = 32;
  constexpr std::size_t kDigits = 8;
  std::string slug;
  for (const char c : goal) {
    if (slug.size() == kLongestSlug) break;
    if (std::isalnum(static_cast<unsigned char>(c)) != 0) {
      slug.push_back(static_cast<char>(std::tolower(static_cast<unsigned char>(c))));
    } else if (!slug.empty() && slug.back() != '-') {
      slug.push_back('-');
    }
  }
  while (!slug.empty() && slug.back() == '-') slug.pop_back();
  const std::string mark = Sha256(goal).Hex().substr(0, kDigits);
  return PlanId(slug.empty() ? "plan_" + mark : "plan_" + slug + "-" + mark);
}

void RequestGoal(Hub& hub, const json::object& parameters, HubService::Done done) {
  auto goal = ReadGoal(parameters);
  if (!goal) {
    done(std::unexpected(std::move(goal).error()));
    return;
  }
  if (auto priced = hub.CheckPrices(nullptr); !priced) {
    done(std::unexpected(std::move(priced).error()));
    return;
  }
  if (const auto& obstacle = hub.goal_obstacle(); obstacle && IsToBeBegun(hub, *goal)) {
    done(std::unexpected(*obstacle));
    return;
  }
  json::object more{{"plan_id", goal->plan_id.str()}};
  SubmitFor(hub, *std::move(goal), std::move(more), std::move(done));
}

void RequestSay(Hub& hub, const json::object& parameters, HubService::Done done) {
  auto remark = ReadRemark(parameters);
  if (!remark) {
    done(std::unexpected(std::move(remark).error()));
    return;
  }
  if (auto unable = hub.Unable()) {
    done(std::unexpected(*std::move(unable)));
    return;
  }
  if (const auto& obstacle = hub.goal_obstacle()) {
    done(std::unexpected(*obstacle));
    return;
  }
  const std::string plan = remark->plan_id.str();
  hub.FocusOn(remark->plan_id);
  hub.core().Submit(*std::move(remark), [plan, done = std::move(done)](const Reply& reply) {
    if (reply.status == Reply::Status::kRefused) {
      done(std::unexpected(*reply.error));
      return;
    }
    done(json::value{{"plan_id", plan}, {"remark", reply.event}, {"status", "accepted"}});
  });
  hub.Wake();
}

}  // namespace agenttalk
