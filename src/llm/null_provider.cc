#include "llm/null_provider.h"

#include <memory>
#include <utility>

#include "llm/model_provider.h"
#include "model/request/model_request.h"

namespace agenttalk {

std::unique_ptr<ModelCall> NullProvider::Ask(ModelRequest request, Done done) {
  ModelAnswer answer;
  answer.text = R"({"result":"ok"})";
  answer.model = std::move(request.model);
  done({std::move(answer), {}});
  return nullptr;
}

}  // namespace agenttalk
