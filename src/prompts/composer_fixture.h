#pragma once

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/digest.h"
#include "base/error.h"
#include "base/error_code.h"
#include "base/ids.h"
#include "model/config/skill_summary.h"
#include "model/content/content.h"
#include "model/request/model_request.h"
#include "model/request/stored_request.h"
#include "prompts/composer.h"

namespace agenttalk {

// One command of an agent, with everything set; tests change what they are about.
class ComposerTest : public ::testing::Test {
 protected:
  ComposerTest() {
    const std::vector<SkillSummary> skills = {{"reporting", "Writes reports."}};
    input_.ids = {AgentId("analyst"),      PlanId("plan_a"), TaskId("t1"),
                  CommandId("cmd_t1_001"), Stage::kCommand,  1};
    input_.provider = "local";
    input_.model = "qwen3";
    input_.system = Keep(ComposeSystem("You are an analyst.", skills));
    input_.prompt = "Summarise the notes.";
    input_.contract.score_required = true;
    input_.score_criteria = "How complete it is.";
    input_.contract.outputs = outputs_;
    input_.fence_key = HmacKey("secret");
    AddInput("notes.md", "We met on Monday.");
  }

  void AddInput(std::string_view name, const std::string& bytes, bool is_text = true) {
    inputs_.push_back({name, Keep(ShareContent(bytes)), is_text});
    input_.inputs = inputs_;
  }
  Content Keep(const SharedContent& shared) {
    bytes_[shared.content.digest] = *shared.bytes;
    return shared.content;
  }
  ModelRequest Sent(const StoredRequest& stored) const {
    auto request = Expand(StoredRequest(stored),
                          [this](const Content& content) -> Result<std::shared_ptr<const std::string>> {
                            const auto found = bytes_.find(content.digest);
                            if (found == bytes_.end()) return Fail(ErrorCode::kNotFound, "no such content");
                            return std::make_shared<const std::string>(found->second);
                          });
    EXPECT_TRUE(request);
    return request.value_or(ModelRequest{});
  }
  [[nodiscard]] std::string UserText() const { return Sent(Compose(input_).request).messages.back().text; }

  std::map<Digest, std::string> bytes_;
  std::vector<std::string> outputs_ = {"summary.md"};
  std::vector<PromptInput> inputs_;
  ComposeInput input_;
};

inline bool Contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

// The 32 hex digits behind the first "<<<".
inline std::string FenceOf(std::string_view text) {
  return std::string(text.substr(text.find("<<<") + 3, 32));
}

}  // namespace agenttalk
