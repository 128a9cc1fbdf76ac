#include "llm/recording_provider.h"

#include <memory>
#include <utility>

#include "base/time.h"
#include "llm/cassette.h"
#include "llm/model_provider.h"
#include "model/request/model_request.h"

namespace agenttalk {

RecordingProvider::RecordingProvider(std::shared_ptr<ModelProvider> inner, Write write, Now now)
    : inner_(std::move(inner)), write_(std::move(write)), now_(std::move(now)) {}

std::unique_ptr<ModelCall> RecordingProvider::Ask(ModelRequest request, Done done) {
  CassetteRecord record;
  record.key = request.reuse_key;
  record.request = ForCassette(request);
  const Timestamp start = now_();
  return inner_->Ask(std::move(request), [this, record = std::move(record), start,
                                          done = std::move(done)](ModelReply reply) mutable {
    record.outcome = reply.outcome;
    record.elapsed = now_() - start + reply.after;
    write_(EncodeRecord(record));
    done(std::move(reply));
  });
}

}  // namespace agenttalk
