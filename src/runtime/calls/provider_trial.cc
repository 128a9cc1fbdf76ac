#include "runtime/calls/provider_trial.h"

#include <fmt/format.h>

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <chrono>
#include <cstdint>
#include <expected>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "base/error.h"
#include "base/json.h"
#include "base/redact.h"
#include "base/time.h"
#include "base/timer.h"
#include "llm/endpoint.h"
#include "llm/exec_provider.h"
#include "llm/http_provider.h"
#include "llm/model_errors.h"
#include "llm/model_provider.h"
#include "model/config/hub_config.h"
#include "model/request/model_request.h"
#include "runtime/calls/model_access.h"

namespace agenttalk {
namespace {

namespace fs = std::filesystem;

constexpr Duration kTrialPatience = std::chrono::seconds(90);
constexpr std::uint32_t kTrialTokens = 1000;  // room for a model that thinks first
constexpr const char* kWordSchema =
    R"({"type":"object","properties":{"word":{"type":"string"}},"required":["word"],"additionalProperties":false})";

ModelRequest Question(std::string text) {
  ModelRequest request;
  request.timeout = kTrialPatience;
  request.parameters.max_tokens = kTrialTokens;
  request.messages.push_back({Role::kUser, std::move(text), {}, {}, false});
  return request;
}

ModelReply AskAndWait(ModelProvider& provider, ModelRequest request, ModelAccess& access) {
  std::optional<ModelReply> reply;
  const auto call = provider.Ask(std::move(request), [&](ModelReply one) { reply = std::move(one); });
  const MonotonicTime deadline = access.reactor->Now() + kTrialPatience;
  while (!reply && access.reactor->Now() < deadline)
    access.reactor->WaitAndStep(deadline - access.reactor->Now());
  if (reply) return *std::move(reply);
  return {std::unexpected(TimedOut(kTrialPatience, "no answer")), {}, {}};
}

bool IsWord(const std::string& text) {
  const auto value = ParseJson(text);
  const auto* object = value ? value->if_object() : nullptr;
  const auto* word = object == nullptr ? nullptr : object->if_contains("word");
  return word != nullptr && word->is_string();
}

void AddSpending(const ModelAnswer& answer, ProviderTrial& trial) {
  trial.usage.input_tokens += answer.usage.input_tokens;
  trial.usage.output_tokens += answer.usage.output_tokens;
  if (answer.cost_usd) trial.cost_usd = trial.cost_usd.value_or(0) + *answer.cost_usd;
}

void DescribeSpending(ProviderTrial& trial) {
  if (trial.usage == Usage{}) {
    trial.words.emplace_back("does not count tokens: budgets cannot hold it");
  } else {
    trial.words.push_back(
        fmt::format("counts tokens ({} in, {} out)", trial.usage.input_tokens, trial.usage.output_tokens));
  }
}

void TrySchema(HttpProvider& provider, const ProviderConfig& config, ModelAccess& access,
               ProviderTrial& trial) {
  ModelRequest request =
      Question("Answer with the JSON object {\"word\": \"ready\"} and nothing else: no other text.");
  if (config.structured_output) request.answer_schema = kWordSchema;
  const MonotonicTime start = access.reactor->Now();
  const ModelReply reply = AskAndWait(provider, std::move(request), access);
  trial.took = access.reactor->Now() - start;
  if (!reply.outcome) {
    trial.error = reply.outcome.error().message;
    trial.words.push_back("does not answer: " + trial.error);
    return;
  }
  trial.answers = true;
  trial.words.push_back(fmt::format("answers in {}", ToText(trial.took)));
  AddSpending(*reply.outcome, trial);
  if (config.stream) {
    trial.streams = reply.streamed;
    trial.words.emplace_back(reply.streamed ? "streams" : "does not stream: set stream: false");
  }
  if (!config.structured_output) return;
  const bool refused = provider.concessions().no_schema;
  trial.schema = !refused && IsWord(reply.outcome->text);
  trial.words.emplace_back(*trial.schema ? "holds answers to a schema"
                           : refused
                               ? "refuses a schema: set structured_output: false"
                               : "takes a schema and does not keep to it: set structured_output: false");
}

void TryTools(HttpProvider& provider, ModelAccess& access, ProviderTrial& trial) {
  ModelRequest request =
      Question("Call the tool report_ready with the word \"ready\". Do not answer in words.");
  request.tools.push_back({"report_ready", "Reports that everything is ready.", kWordSchema});
  const ModelReply reply = AskAndWait(provider, std::move(request), access);
  trial.tools = reply.outcome && !reply.outcome->tool_calls.empty();
  if (reply.outcome) AddSpending(*reply.outcome, trial);
  if (*trial.tools) {
    trial.words.emplace_back("calls tools");
  } else if (reply.outcome) {
    trial.words.emplace_back(
        "did not call the tool it was told to call: set native_tools: false if that stays so");
  } else {
    trial.words.push_back("refuses tools (" + reply.outcome.error().message + "): set native_tools: false");
  }
}

}  // namespace

ProviderTrial TryServer(const ProviderConfig& config, const Endpoint& endpoint, ModelAccess& access) {
  ProviderTrial trial;
  HttpProviderOptions options;
  options.ca_file = endpoint.ca_file;
  HttpProvider provider(*access.http, MakeFormat(endpoint), options, [] {
    return std::chrono::time_point_cast<Duration>(std::chrono::system_clock::now());
  });
  TrySchema(provider, config, access, trial);
  if (trial.answers && config.native_tools) TryTools(provider, access, trial);
  if (trial.answers) DescribeSpending(trial);
  if (trial.tools && trial.schema)
    trial.words.emplace_back("was asked twice: one answer cannot show a schema and a tool call");
  return trial;
}

ProviderTrial TryProgram(const ProviderConfig& config, const fs::path& hub, ModelAccess& access) {
  ProviderTrial trial;
  ExecOptions options;
  options.argv = config.argv;
  options.prompt_as_argument = config.prompt_via == PromptVia::kArgument;
  options.answer_at = config.answer_at;
  options.model = config.model;
  options.model_argv = config.model_argv;
  options.timeout = config.timeout;
  options.directory = [&hub](const CallIds&) -> Result<std::string> { return hub.string(); };
  auto provider = ExecProvider::Make(*access.reactor, std::move(options));
  if (!provider) {
    trial.error = provider.error().message;
    return trial;
  }
  const MonotonicTime start = access.reactor->Now();
  const ModelReply reply =
      AskAndWait(**provider, Question("Answer with the word ready and nothing else."), access);
  trial.took = access.reactor->Now() - start;
  if (!reply.outcome) {
    trial.error = reply.outcome.error().message;
    trial.words.push_back("does not answer: " + trial.error);
    return trial;
  }
  trial.answers = true;
  trial.words.push_back(fmt::format("answers in {}", ToText(trial.took)));
  AddSpending(*reply.outcome, trial);
  DescribeSpending(trial);
  if (trial.cost_usd) trial.words.push_back(fmt::format("says what it costs ({:.4f} USD)", *trial.cost_usd));
  return trial;
}

}  // namespace agenttalk
