#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/ids.h"
#include "base/time.h"
#include "mailbox/inotify_watcher.h"
#include "mailbox/intake.h"
#include "mailbox/known_files.h"
#include "mailbox/mirror.h"
#include "mailbox/posix_file_system.h"

// mailbox_benchmark [DIRECTORY]: how soon a dropped file is in our hands, what a sweep of a quiet hub costs
// and what the mirror writes per second, each beside the bare system calls on the same disk in the same run.
namespace agenttalk {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::seconds;

constexpr int kDrops = 2000;
constexpr int kFolders = 10'000;
constexpr int kFiles = 10'000;
const std::string kInbox = "agents/dev/inbox";
const Timestamp kStart{seconds(1'800'000'000)};

double Microseconds(Clock::duration time) {
  return std::chrono::duration<double, std::micro>(time).count();
}

double Quantile(std::vector<double> values, double quantile) {
  std::ranges::sort(values);
  return values[static_cast<std::size_t>(quantile * static_cast<double>(values.size() - 1))];
}

double TimeOf(const std::function<void()>& body) {
  const auto start = Clock::now();
  body();
  return Microseconds(Clock::now() - start);
}

void WriteBare(const std::string& path, std::string_view bytes) {
  const std::string temporary = path + ".tmp";
  const int fd = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  CHECK(fd >= 0 && ::write(fd, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()));
  CHECK(::close(fd) == 0 && ::rename(temporary.c_str(), path.c_str()) == 0);
}

struct Hub {
  explicit Hub(const std::string& directory)
      : root(directory),
        files(std::move(PosixFileSystem::Open(root).value())),
        watcher(std::move(InotifyWatcher::Open(root).value())),
        intake(*files, *watcher, known) {
    intake.SetAgents({{.id = AgentId("dev"), .external = false, .heartbeat = seconds(10)}});
    while (intake.Take(now).more) {
    }
  }
  std::string root;
  std::unique_ptr<PosixFileSystem> files;
  std::unique_ptr<InotifyWatcher> watcher;
  KnownFiles known;
  Intake intake;
  Timestamp now = kStart;
};

void WaitFor(int fd) {
  pollfd poll{.fd = fd, .events = POLLIN, .revents = 0};
  CHECK(::poll(&poll, 1, 10'000) == 1);
}

// Another thread renames a file into place and notes when; `receive` says when it has the content.
std::vector<double> Latencies(const std::string& folder, const std::function<void()>& receive) {
  std::vector<double> latencies;
  std::atomic<int> wanted{0};
  std::atomic<Clock::time_point> dropped;
  std::thread stranger([&] {
    for (int i = 1; i <= kDrops; ++i) {
      wanted.wait(i - 1);
      const std::string stage = fmt::format("{}-stage-{}", folder, i);
      const std::string target = fmt::format("{}/x{}", folder, i);
      WriteBare(stage, "{\"command_id\":\"cmd_1\"}");
      dropped = Clock::now();
      CHECK(::rename(stage.c_str(), target.c_str()) == 0);
    }
  });
  for (int i = 1; i <= kDrops; ++i) {
    wanted = i;
    wanted.notify_one();
    receive();
    latencies.push_back(Microseconds(Clock::now() - dropped.load()));
  }
  stranger.join();
  return latencies;
}

std::vector<double> BareLatencies(const std::string& folder) {
  std::filesystem::create_directories(folder);
  const int inotify = ::inotify_init1(IN_CLOEXEC);
  CHECK(inotify >= 0 && ::inotify_add_watch(inotify, folder.c_str(), IN_MOVED_TO) >= 0);
  auto latencies = Latencies(folder, [&] {
    std::array<char, 4096> buffer;
    WaitFor(inotify);
    CHECK(::read(inotify, buffer.data(), buffer.size()) > 0);
    const std::string name = buffer.data() + sizeof(inotify_event);
    const int fd = ::open((folder + "/" + name).c_str(), O_RDONLY | O_CLOEXEC);
    CHECK(fd >= 0 && ::read(fd, buffer.data(), buffer.size()) > 0);
    ::close(fd);
  });
  ::close(inotify);
  return latencies;
}

void MeasurePickUp(Hub& hub) {
  std::uint64_t found = 0;
  const auto bare = BareLatencies(hub.root + "/bare");
  const auto ours = Latencies(hub.root + "/" + kInbox, [&] {
    while (true) {
      WaitFor(hub.watcher->descriptor());
      const IntakeBatch batch = hub.intake.Take(hub.now);
      if (batch.found.empty()) continue;
      found += batch.found.size();
      hub.intake.MarkKnown(batch.found[0].fingerprint);
      return;
    }
  });
  CHECK(found == kDrops);
  for (const double quantile : {0.5, 0.99}) {
    const double a = Quantile(ours, quantile);
    const double b = Quantile(bare, quantile);
    fmt::print("pick-up of a dropped file, p{:<3} {:8.1f} us   bare inotify and read {:8.1f} us   {:.2f} x\n",
               quantile * 100, a, b, a / b);
  }
}

void MeasureSweeps(Hub& hub) {
  for (int i = 0; i < kFolders; ++i) {
    const std::string folder = fmt::format("{}/{}/plan_{}", hub.root, kInbox, i);
    std::filesystem::create_directory(folder);
    WriteBare(folder + "/input.md", "text");
  }
  const auto drain = [&] {
    std::size_t found = 0;
    IntakeBatch batch;
    do {
      batch = hub.intake.Take(hub.now);
      for (const FoundFile& file : batch.found) hub.intake.MarkKnown(file.fingerprint);
      found += batch.found.size();
    } while (batch.more);
    return found;
  };
  const double first = TimeOf([&] { CHECK(drain() == kFolders); });
  fmt::print("taking in {} files of {} new folders: {:.1f} us each\n", kFolders, kFolders, first / kFolders);
  std::vector<double> quiet;
  for (int i = 0; i < 12; ++i) {
    hub.now += seconds(10);
    quiet.push_back(TimeOf([&] { CHECK(drain() == 0); }));
  }
  const double bare = TimeOf([&] {
    for (int i = 0; i < kFolders; ++i) {
      (void)std::filesystem::last_write_time(fmt::format("{}/{}/plan_{}", hub.root, kInbox, i));
    }
  });
  fmt::print(
      "sweep of a quiet hub: {:.2f} us per folder (median), every sixth {:.2f}   bare stat {:.2f} us\n",
      Quantile(quiet, 0.5) / kFolders, Quantile(quiet, 1) / kFolders, bare / kFolders);
}

void MeasureMirror(Hub& hub) {
  const std::string content(500, 'x');
  std::filesystem::create_directories(hub.root + "/plans/bare");
  const double bare = TimeOf([&] {
    for (int i = 0; i < kFiles; ++i) WriteBare(fmt::format("{}/plans/bare/{}", hub.root, i), content);
  });
  Mirror mirror(*hub.files, hub.known);
  const auto publish = [&] {
    for (int i = 0; i < kFiles; ++i)
      mirror.Publish(fmt::format("plans/ours/{}", i), content, Overwrite::kAlways);
    const MirrorReport report = mirror.Flush();
    CHECK(report.complete() && report.written + report.skipped == kFiles);
  };
  const double written = TimeOf(publish);
  const double skipped = TimeOf(publish);
  fmt::print("mirrored file {:.1f} us   bare write and rename {:.1f} us   {:.2f} x   unchanged {:.1f} us\n",
             written / kFiles, bare / kFiles, written / bare, skipped / kFiles);
  const double lines = TimeOf([&] {
    for (std::uint64_t seq = 1; seq <= kFiles; ++seq) {
      mirror.AppendLine("logs/a.jsonl", {.seq = seq, .part = 0},
                        [seq] { return fmt::format(R"({{"seq":{}}})", seq); });
      if (seq % 100 == 0) CHECK(mirror.Flush().lines == 100);
    }
  });
  fmt::print("log line {:.2f} us, in flushes of 100\n", lines / kFiles);
}

int Main(const std::string& where) {
  std::string pattern = where + "/mailbox-benchmark-XXXXXX";
  CHECK(::mkdtemp(pattern.data()) != nullptr);
  {
    Hub hub(pattern);
    MeasurePickUp(hub);
    MeasureSweeps(hub);
    MeasureMirror(hub);
  }
  std::filesystem::remove_all(pattern);
  return 0;
}

}  // namespace
}  // namespace agenttalk

int main(int argc, char** argv) {
  return agenttalk::Main(argc > 1 ? argv[1] : "/tmp");
}
