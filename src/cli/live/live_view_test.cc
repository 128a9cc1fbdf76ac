#include "cli/live/live_view.h"

#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "cli/text/text_width.h"

namespace agenttalk {
namespace {

namespace json = boost::json;

json::object Task(const std::string& id, const std::string& agent, const std::string& state,
                  const std::vector<std::string>& needs = {}) {
  return {{"task_id", id},
          {"agent", agent},
          {"state", state},
          {"score", nullptr},
          {"attempts", 0},
          {"blocked_by", json::array()},
          {"depends_on", json::array(needs.begin(), needs.end())},
          {"started_at", nullptr},
          {"ended_at", nullptr},
          {"tokens", {{"input", 0}, {"output", 0}}},
          {"cost_usd", 0.0},
          {"reused", false},
          {"error", nullptr}};
}

json::object Status(json::array tasks) {
  return {{"plan_id", "plan_p"},
          {"state", "running"},
          {"revision", 1},
          {"tasks", std::move(tasks)},
          {"tokens", {{"input", 1}, {"output", 2}}},
          {"cost_usd", 0.5}};
}

std::vector<std::string> Lines(const json::object& status, std::size_t columns = 80, std::size_t rows = 24) {
  const std::vector<std::string> activity = {"something was done"};
  return LiveLines({status, activity, columns, rows, 0, false});
}

TEST(LiveView, ShowsTasksBelowTheLastOfTheirDependencies) {
  const json::object status =
      Status({Task("a", "ann", "COMPLETED"), Task("b", "bob", "RUNNING", {"a"}),
              Task("c", "cyd", "PENDING", {"a", "b"}), Task("d", "dan", "FAILED", {"a"})});
  const std::vector<std::string> lines = Lines(status);
  ASSERT_EQ(lines.size(), 6U);
  EXPECT_TRUE(lines[1].starts_with("✓ a")) << lines[1];
  EXPECT_TRUE(lines[2].starts_with("● ├ b")) << lines[2];
  EXPECT_TRUE(lines[3].starts_with("· │ └ c")) << lines[3];
  EXPECT_TRUE(lines[4].starts_with("✗ └ d")) << lines[4];
  EXPECT_EQ(lines[5], "  something was done");
}

TEST(LiveView, AlignsWideCharactersAndStaysInsideTheTerminal) {
  json::object wide = Task("一二三四五六七八九十一二三四五六七八", "ann", "FAILED");
  wide["error"] = {{"code", "X"}, {"message", "出错了出错了出错了出错了出错了出错了出错了出错了"}};
  const std::vector<std::string> lines = Lines(Status({wide, Task("b", "bob", "RUNNING")}), 60);
  for (const std::string& line : lines) EXPECT_LT(DisplayWidth(line), 60U) << line;
  const auto column = [](const std::string& line, const std::string& word) {
    return DisplayWidth(line.substr(0, line.find(word)));
  };
  EXPECT_EQ(column(lines[1], "ann"), column(lines[2], "bob"));
}

TEST(LiveView, OfVeryManyTasksShowsThoseThatMatter) {
  json::array tasks;
  for (int i = 0; i < 100; ++i) tasks.push_back(Task("t" + std::to_string(i), "ann", "COMPLETED"));
  tasks.push_back(Task("now", "ann", "RUNNING"));
  tasks.push_back(Task("bad", "ann", "FAILED"));
  const std::vector<std::string> lines = Lines(Status(std::move(tasks)), 80, 20);
  EXPECT_LE(lines.size(), 16U);
  std::string all;
  for (const std::string& line : lines) all += line + "\n";
  EXPECT_NE(all.find("● now"), std::string::npos) << all;
  EXPECT_NE(all.find("✗ bad"), std::string::npos) << all;
  EXPECT_NE(all.find("… and 91 completed"), std::string::npos) << all;
}

}  // namespace
}  // namespace agenttalk
