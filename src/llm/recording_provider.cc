#include "llm/recording_provider.h"

#include <expected>
#include <memory>
#include <utility>

#include "base/time.h"
#include "llm/cassette.h"
#include "llm/model_errors.h"
#include "llm/model_provider.h"
#include "model/request/model_request.h"

namespace agenttalk {

// What is known of a call until it ends; shared with the callback, which may come before Ask has returned.
struct RecordingProvider::Entry {
  CassetteRecord record;
  Timestamp start;
  Duration timeout{};
  bool written = false;
};

// Whoever gives a call up when its time is over knows its outcome without being told.
class RecordingProvider::Watched final : public ModelCall {
 public:
  Watched(RecordingProvider& recorder, std::shared_ptr<Entry> entry, std::unique_ptr<ModelCall> inner)
      : recorder_(recorder), entry_(std::move(entry)), inner_(std::move(inner)) {}
  ~Watched() override {
    inner_.reset();
    const Duration spent = recorder_.now_() - entry_->start;
    if (entry_->written || entry_->timeout <= Duration{} || spent < entry_->timeout) return;
    entry_->record.outcome = std::unexpected(TimedOut(entry_->timeout, "no complete answer"));
    recorder_.Write(*entry_, spent);
  }
  Watched(const Watched&) = delete;
  Watched& operator=(const Watched&) = delete;
  [[nodiscard]] bool waits() const override { return inner_ && inner_->waits(); }
  void Withdraw() override {
    if (!waits()) return;
    inner_->Withdraw();
    entry_->written = true;  // there is nothing to write
  }

 private:
  RecordingProvider& recorder_;
  const std::shared_ptr<Entry> entry_;
  std::unique_ptr<ModelCall> inner_;
};

RecordingProvider::RecordingProvider(std::shared_ptr<ModelProvider> inner, WriteLine write, Now now)
    : inner_(std::move(inner)), write_(std::move(write)), now_(std::move(now)) {}

void RecordingProvider::Write(Entry& entry, Duration elapsed) {
  entry.written = true;
  entry.record.elapsed = elapsed;
  write_(EncodeRecord(entry.record));
}

std::unique_ptr<ModelCall> RecordingProvider::Ask(ModelRequest request, Done done) {
  const auto entry = std::make_shared<Entry>();
  entry->record.key = request.reuse_key;
  entry->record.request = ForCassette(request);
  entry->start = now_();
  entry->timeout = request.timeout;
  auto inner = inner_->Ask(std::move(request), [this, entry, done = std::move(done)](ModelReply reply) {
    entry->record.outcome = reply.outcome;
    Write(*entry, now_() - entry->start + reply.after);
    done(std::move(reply));
  });
  if (inner == nullptr) return nullptr;
  return std::make_unique<Watched>(*this, entry, std::move(inner));
}

}  // namespace agenttalk
