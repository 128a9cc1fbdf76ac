#pragma once

#include <boost/asio/steady_timer.hpp>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/ids.h"
#include "model/events/event.h"
#include "runtime/hub.h"

namespace agenttalk {

// What happens in a hub, gathered into frames for every page that looks on. A frame is made once, whoever
// looks on, at most ten times a second, and names a bounded number of events: however fast the work is, a
// page costs the loop next to nothing. A page that is slow to read is not sent what it missed: its next frame
// says that everything may have changed, and it asks again for what it shows.
class EventFrames : public std::enable_shared_from_this<EventFrames> {
 public:
  explicit EventFrames(Hub& hub);
  void Begin();

  using Send = std::function<void(const std::shared_ptr<const std::string>&)>;
  // `send` is called for every frame while `owner` lives.
  void Join(const std::weak_ptr<const void>& owner, Send send);
  // A frame for one that has seen events up to `seen`; 0: none yet.
  [[nodiscard]] std::shared_ptr<const std::string> Catch(std::uint64_t seen) const;
  // The same for one that may have missed frames.
  [[nodiscard]] std::shared_ptr<const std::string> CatchUp() const;

 private:
  void Note(const Event& event);
  void SendFrame();

  struct Listener {
    std::weak_ptr<const void> owner;
    Send send;
  };

  Hub& hub_;
  boost::asio::steady_timer timer_;
  std::vector<Listener> listeners_;
  bool gathering_ = false;
  std::set<PlanId> plans_;  // touched since the last frame
  std::string items_;
  std::size_t item_count_ = 0;
  std::size_t skipped_ = 0;
  bool asks_ = false;  // a question was asked or closed
};

}  // namespace agenttalk
