#include "tools/file_tools.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <boost/json.hpp>
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

#include "base/error.h"
#include "base/error_code.h"
#include "base/glob.h"
#include "base/utf8.h"
#include "model/request/model_request.h"
#include "tools/task_folder.h"
#include "tools/tool.h"
#include "tools/tool_runner.h"

namespace agenttalk {
namespace {

namespace json = boost::json;

constexpr std::size_t kLargestFile = std::size_t{64} << 20;
constexpr std::size_t kMostEntries = 1000;
constexpr std::size_t kMostMatches = 200;
constexpr std::size_t kLongestLine = 300;
// Of all the files that one search reads.
constexpr std::size_t kMostSearched = std::size_t{256} << 20;

// Set when nobody waits for the outcome any more.
using Stop = std::atomic<bool>;

std::string Text(const json::object& arguments, std::string_view name, std::string otherwise = {}) {
  const json::value* value = arguments.if_contains(name);
  return value == nullptr ? otherwise : std::string(value->as_string());
}

std::size_t Number(const json::object& arguments, std::string_view name, std::size_t otherwise) {
  const json::value* value = arguments.if_contains(name);
  return value == nullptr ? otherwise : value->to_number<std::size_t>();
}

// By lines, so that a model can look into a long file piece by piece.
std::string SomeLines(std::string_view text, std::size_t first, std::size_t count) {
  std::string kept;
  std::size_t line = 1;
  std::size_t start = 0;
  for (; start < text.size() && line < first + count; ++line) {
    const std::size_t end = std::min(text.find('\n', start), text.size() - 1) + 1;
    if (line >= first) kept += text.substr(start, end - start);
    start = end;
  }
  if (start < text.size()) kept += fmt::format("[more follows: read on with \"first_line\": {}]\n", line);
  return kept;
}

Result<std::string> ReadFile(const TaskFolder& folder, const json::object& arguments, const Stop& /*stop*/) {
  const std::string path = Text(arguments, "path");
  const std::string text = TRY(folder.Read(path, kLargestFile));
  if (!IsUtf8(text) || text.find('\0') != std::string::npos) {
    return Fail(ErrorCode::kTypeMismatch, fmt::format("{}: {} bytes that are not text", path, text.size()),
                "run_program can work on it, where it is allowed");
  }
  return SomeLines(text, Number(arguments, "first_line", 1), Number(arguments, "lines", SIZE_MAX >> 1));
}

Result<std::string> WriteFile(const TaskFolder& folder, const json::object& arguments, const Stop& /*stop*/) {
  const std::string path = Text(arguments, "path");
  const std::string content = Text(arguments, "content");
  TRY(folder.Write(path, content));
  return fmt::format("wrote {} bytes to {}", content.size(), path);
}

Result<std::string> ListFiles(const TaskFolder& folder, const json::object& arguments, const Stop& stop) {
  std::string list;
  std::size_t entries = 0;
  TRY(folder.Walk(Text(arguments, "path"), [&](const FolderEntry& entry) {
    if (stop) return false;
    if (++entries > kMostEntries) {
      list += fmt::format("[only the first {} are shown; list a folder below]\n", kMostEntries);
      return false;
    }
    list += entry.is_folder ? entry.path + "/\n" : fmt::format("{} ({} bytes)\n", entry.path, entry.size);
    return true;
  }));
  return list.empty() ? "no files" : list;
}

// True: there may be more to find.
bool SearchText(const std::string& path, std::string_view text, std::string_view wanted, std::string& found,
                std::size_t& matches) {
  std::size_t number = 1;
  for (std::size_t start = 0; start < text.size(); ++number) {
    const std::size_t end = std::min(text.find('\n', start), text.size());
    const std::string_view line = text.substr(start, end - start);
    start = end + 1;
    if (line.find(wanted) == std::string_view::npos) continue;
    if (++matches > kMostMatches) {
      found +=
          fmt::format("[only the first {} matches are shown; search for something longer]\n", kMostMatches);
      return false;
    }
    found += fmt::format("{}:{}: {}\n", path, number, Utf8Prefix(line, kLongestLine));
  }
  return true;
}

Result<std::string> SearchFiles(const TaskFolder& folder, const json::object& arguments, const Stop& stop) {
  const std::string wanted = Text(arguments, "text");
  const std::string pattern = Text(arguments, "files", "*");
  std::string found;
  std::size_t matches = 0;
  std::uint64_t searched = 0;
  TRY(folder.Walk(Text(arguments, "path"), [&](const FolderEntry& entry) {
    if (stop) return false;
    const std::string name = entry.path.substr(entry.path.rfind('/') + 1);
    if (entry.is_folder || !WildcardMatches(pattern, name)) return true;
    searched += std::min<std::uint64_t>(entry.size, kLargestFile);
    if (searched > kMostSearched) {
      found += fmt::format("[stopped after {} MiB, before {}; search below a folder, or name the files]\n",
                           kMostSearched >> 20, entry.path);
      return false;
    }
    const auto text = folder.Read(entry.path, kLargestFile);
    if (!text || !IsUtf8(*text)) return true;
    return SearchText(entry.path, *text, wanted, found, matches);
  }));
  return found.empty() ? "nothing found" : found;
}

using Work = Result<std::string> (*)(const TaskFolder& folder, const json::object& arguments,
                                     const Stop& stop);
using Finish = std::function<void(ToolOutcomeReport)>;

ToolOutcomeReport ReportOf(Result<std::string> outcome) {
  if (outcome) return {std::move(*outcome), {}};
  return {{}, std::move(outcome).error()};
}

// On a thread of its own: a large folder must not hold up everybody else's work.
class RunningFileTool final : public RunningTool {
 public:
  RunningFileTool(std::function<Result<std::string>(const Stop&)> work, const PostToLoop& post, Finish done)
      : wanted_(std::make_shared<Finish>(std::move(done))) {
    thread_ = std::thread([this, work = std::move(work), post, wanted = std::weak_ptr<Finish>(wanted_)] {
      ToolOutcomeReport report = ReportOf(work(stop_));
      post([wanted, report = std::move(report)] {
        if (const auto finish = wanted.lock()) (*finish)(report);
      });
    });
  }
  ~RunningFileTool() override {
    stop_ = true;
    thread_.join();
  }

 private:
  Stop stop_ = false;
  std::shared_ptr<Finish> wanted_;
  std::thread thread_;
};

class FileTool final : public Tool {
 public:
  FileTool(std::filesystem::path hub, ToolSpec spec, Work work, PostToLoop post)
      : hub_(std::move(hub)), spec_(std::move(spec)), work_(work), post_(std::move(post)) {}

  [[nodiscard]] const ToolSpec& spec() const override { return spec_; }
  [[nodiscard]] bool works_in_folder() const override { return true; }
  [[nodiscard]] std::unique_ptr<RunningTool> Run(const ToolInvocation& invocation,
                                                 const json::object& arguments,
                                                 ToolRunner::Done done) override {
    if (post_) {
      auto work = [this, invocation, arguments](const Stop& stop) { return Do(invocation, arguments, stop); };
      return std::make_unique<RunningFileTool>(std::move(work), post_, std::move(done));
    }
    done(ReportOf(Do(invocation, arguments, false)));
    return nullptr;
  }

 private:
  [[nodiscard]] Result<std::string> Do(const ToolInvocation& invocation, const json::object& arguments,
                                       const Stop& stop) const {
    const TaskFolder folder =
        TRY(TaskFolder::Open(hub_, invocation.agent, invocation.plan, invocation.command));
    return work_(folder, arguments, stop);
  }

  const std::filesystem::path hub_;
  const ToolSpec spec_;
  const Work work_;
  const PostToLoop post_;
};

struct Declaration {
  const char* name;
  const char* description;
  const char* schema;
  Work work;
};

constexpr Declaration kDeclarations[] = {
    {"read_file",
     "Reads a text file of this task by its path, such as inputs/data.csv, outputs/report.md or "
     "work/notes.md.",
     R"({"type":"object","additionalProperties":false,"required":["path"],"properties":{
       "path":{"type":"string","minLength":1},
       "first_line":{"type":"integer","minimum":1,"maximum":1000000000},
       "lines":{"type":"integer","minimum":1,"maximum":1000000000}}})",
     &ReadFile},
    {"write_file",
     "Writes a text file of this task, below outputs/ (part of the result) or work/ (scratch); what was "
     "there "
     "before is replaced.",
     R"({"type":"object","additionalProperties":false,"required":["path","content"],"properties":{
       "path":{"type":"string","minLength":1},"content":{"type":"string"}}})",
     &WriteFile},
    {"list_files", "Lists the files of this task with their sizes, or those below one folder.",
     R"({"type":"object","additionalProperties":false,"properties":{"path":{"type":"string"}}})", &ListFiles},
    {"search_files",
     "Finds the lines that contain a text in the files of this task; \"files\" is a pattern of names.",
     R"({"type":"object","additionalProperties":false,"required":["text"],"properties":{
       "text":{"type":"string","minLength":1},"path":{"type":"string"},"files":{"type":"string","minLength":1}}})",
     &SearchFiles},
};

}  // namespace

std::vector<std::unique_ptr<Tool>> MakeFileTools(const std::filesystem::path& hub, const PostToLoop& post) {
  std::vector<std::unique_ptr<Tool>> tools;
  for (const Declaration& one : kDeclarations)
    tools.push_back(
        std::make_unique<FileTool>(hub, ToolSpec{one.name, one.description, one.schema}, one.work, post));
  return tools;
}

}  // namespace agenttalk
