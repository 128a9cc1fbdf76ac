#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "base/ids.h"
#include "mailbox/mirror_writer.h"
#include "model/content/content.h"
#include "runtime/files/file_sink.h"

namespace agenttalk {

// Passes on what goes into the plan's own folders, and lines of agents' logs: whatever names and ids the
// events of a plan from elsewhere hold, they reach no other file.
class PlanSink final : public FileSink {
 public:
  PlanSink(PlanId plan, FileSink& to) : plan_(std::move(plan)), to_(to) {}

  void Publish(const std::string& path, const Content& content, Overwrite overwrite) override {
    if (IsOwn(path)) to_.Publish(path, content, overwrite);
  }
  void PublishText(const std::string& path, std::string text) override {
    if (IsOwn(path)) to_.PublishText(path, std::move(text));
  }
  void PublishMade(const std::string& path, FileMaker make) override {
    if (IsOwn(path)) to_.PublishMade(path, std::move(make));
  }
  void Remove(const std::string& path) override {
    if (IsOwn(path)) to_.Remove(path);
  }
  void Retract(const std::string& path, const Content& content) override {
    if (IsOwn(path)) to_.Retract(path, content);
  }
  // No event of a plan does.
  void RemoveFolder(const std::string& /*path*/) override {}
  void LogsArePartial() override { to_.LogsArePartial(); }
  void Forget(const std::string& path) override {
    if (IsOwn(path)) to_.Forget(path);
  }
  void Found(const std::string& path, const Content& content) override {
    if (IsOwn(path)) to_.Found(path, content);
  }
  void WasThere(const std::string& path, const Content& content) override {
    if (IsOwn(path)) to_.WasThere(path, content);
  }
  void AppendLine(const std::string& path, LineNumber number, LineMaker line,
                  std::uint64_t rotate_at) override {
    if (IsOwn(path) || IsLog(path)) to_.AppendLine(path, number, std::move(line), rotate_at);
  }

 private:
  [[nodiscard]] bool IsOwn(const std::string& path) const;
  static bool IsLog(const std::string& path);

  const PlanId plan_;
  FileSink& to_;
};

}  // namespace agenttalk
