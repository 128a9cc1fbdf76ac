#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include "api/hub_service.h"
#include "base/error.h"
#include "runtime/hub.h"

namespace agenttalk {

struct PageOptions {
  std::string address = "127.0.0.1";
  std::uint16_t port = 7717;  // 0: any that is free
  bool insecure = false;      // plain HTTP on an address that others can reach
  bool read_only = false;     // viewers only
  std::filesystem::path tls_certificate;
  std::filesystem::path tls_key;
};

// "ADDR:PORT", ":PORT", "PORT" or "ADDR"; what is missing keeps its default.
Result<PageOptions> ParsePageAddress(const std::string& text);

// The page for people (docs/page.md): HTTP/1.1 on TCP, on the hub's loop. It serves the page's own files, the
// methods of the control interface that a page may call, and a stream of events.
class PageServer {
 public:
  static Result<std::unique_ptr<PageServer>> Open(Hub& hub, PageOptions options);
  ~PageServer();
  PageServer(const PageServer&) = delete;
  PageServer& operator=(const PageServer&) = delete;

  // A link that opens the page once, within ten minutes.
  [[nodiscard]] Result<std::string> NewLink();
  [[nodiscard]] const std::string& url() const;
  // What the control interface may ask of the page while it is served: `page/link` and `page/token`.
  [[nodiscard]] PageMethods Methods() const;

 private:
  struct State;
  explicit PageServer(std::shared_ptr<State> state);

  std::shared_ptr<State> state_;
};

}  // namespace agenttalk
