#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/digest.h"
#include "base/error_code.h"
#include "base/ids.h"
#include "base/json.h"
#include "base/time.h"
#include "engine/state/command_trails.h"
#include "journal/journal.h"
#include "journal/memory_journal.h"
#include "model/events/event.h"
#include "model/events/event_codec.h"
#include "runtime/history/command_history.h"
#include "runtime/history/command_record.h"
#include "runtime/history/event_words.h"
#include "runtime/history/history_reader.h"
#include "runtime/history/plain_words.h"
#include "runtime/history/recent_rows.h"
#include "runtime/history/transcript.h"

namespace agenttalk {
namespace {

const PlanId kPlan("plan_a");
const CommandId kCommand("cmd_1");

// A journal that is written row by row, each with the texts that its events name.
class HistoryTest : public ::testing::Test {
 protected:
  HistoryTest() { epoch_ = journal_.BeginEpoch().value(); }

  Content Text(std::string text) {
    const Content content{Sha256(text), text.size(), next_};
    contents_.push_back({content.digest, std::make_shared<const std::string>(std::move(text))});
    return content;
  }

  void Row(std::vector<EventBody> bodies) {
    std::vector<Event> events;
    for (EventBody& body : bodies) {
      Event& event = events.emplace_back();
      event.number = next_ + events.size() - 1;
      event.plan_id = kPlan;
      event.time = Timestamp(std::chrono::seconds(1000 + event.number));
      event.caused_by = events.size() == 1 ? 0 : next_;
      event.body = std::move(body);
    }
    JournalRow row;
    row.stream = kPlan;
    row.version = ++version_;
    row.first_event = next_;
    row.event_count = static_cast<std::uint32_t>(events.size());
    row.events = EncodeEvents(events);
    row.contents = std::exchange(contents_, {});
    next_ += events.size();
    Append append;
    append.rows.push_back(std::move(row));
    ASSERT_TRUE(journal_.Commit(std::span(&append, 1), epoch_));
  }

  EventBody Received() {
    CommandReceived received;
    received.agent_id = AgentId("ann");
    received.command.command_id = kCommand;
    received.command.plan_id = kPlan;
    received.command.on_complete.message_template = "{agent_id}: {result} ({score})";
    return received;
  }

  MemoryJournal journal_;
  std::uint64_t epoch_ = 0;
  std::uint64_t next_ = 1;
  std::uint64_t version_ = 0;
  std::vector<NewContent> contents_;
};

TEST_F(HistoryTest, ACommandIsReadUpToTheRowInWhichItEnded) {
  Row({Received(), CommandReadied{kCommand, {}, {}}, AttemptStarted{kCommand, 1, {}},
       ToolCallIntended{kCommand, 1, "run_program", Text(R"({"argv":["ls"]})"), true, "p"}});
  Row({CallRestarted{kCommand, 1}});
  Row({ToolCallFinished{kCommand, 1, Text("exit code 3\n--- output\nno\n"), {}, {}}});
  CommandSucceeded done;
  done.command_id = kCommand;
  done.result = Text("fine");
  done.score = 90;
  Row({done, MessageSent{"msg_cmd_1", kCommand, AgentId("ann"), AgentId("bob"), Text("{}"), {}, 1, {}}});
  Row({CommandRepeated{kCommand, AgentId("ann"), {}}});

  const std::vector<EventSpan> trail = {{1, 9}};
  const auto ended = ReadEndedCommand(journal_, kPlan, kCommand, trail);
  ASSERT_TRUE(ended.has_value() && ended->has_value());
  const CommandHistory& command = **ended;
  EXPECT_EQ(command.state, "succeeded");
  EXPECT_EQ(command.repeats, 0U) << "what came later is not part of it";
  ASSERT_EQ(command.messages.size(), 1U) << "what came in the same row is";
  EXPECT_EQ(command.messages[0].to, AgentId("bob"));
  ASSERT_EQ(command.attempts.size(), 1U);
  ASSERT_EQ(command.attempts[0].calls.size(), 1U);
  EXPECT_EQ(command.attempts[0].calls[0].restarts.size(), 1U);

  const auto whole = ReadHistory(journal_, kPlan, trail, next_);
  ASSERT_TRUE(whole.has_value());
  EXPECT_EQ(whole->Find(kCommand)->repeats, 1U);

  const ContentLoader load = LoadFrom(journal_);
  const auto record = ParseJson(RecordText(kPlan, command, load));
  ASSERT_TRUE(record.has_value());
  EXPECT_EQ(record->at("message"), "ann: fine (90)");
  EXPECT_EQ(record->at("tool_calls"), 1);
  EXPECT_EQ(record->at("sent_to").at(0).at("to"), "bob");
  const std::string transcript = TranscriptText(kPlan, command, load);
  for (const char* part :
       {"tool run_program", R"({"argv":["ls"]})", "exit code 3", "Made again", "Sent to bob"}) {
    EXPECT_NE(transcript.find(part), std::string::npos) << part << "\n" << transcript;
  }
}

TEST_F(HistoryTest, ALiveCommandHasNoEnd) {
  Row({Received()});
  const std::vector<EventSpan> trail = {{1, 1}};
  const auto ended = ReadEndedCommand(journal_, kPlan, kCommand, trail);
  ASSERT_TRUE(ended.has_value());
  EXPECT_FALSE(ended->has_value());
}

TEST_F(HistoryTest, SpansAreReadOnceAndInOrder) {
  Row({Received(), CommandReadied{kCommand, {}, {}}});
  Row({AttemptStarted{kCommand, 1, {}}, CommandRequeued{kCommand}, CommandRequeued{kCommand}});
  std::vector<std::uint64_t> seen;
  const std::vector<EventSpan> spans = {{4, 2}, {2, 2}, {3, 1}};
  ASSERT_TRUE(ReadSpans(journal_, kPlan, spans, [&](const Event& event) {
    seen.push_back(event.number);
    return true;
  }));
  EXPECT_EQ(seen, (std::vector<std::uint64_t>{2, 3, 4, 5}));
}

TEST_F(HistoryTest, OfALongRowOnlyWhatIsWantedIsDecodedAndItsContentsAreThere) {
  std::vector<EventBody> many;
  for (int i = 0; i < 100; ++i) many.emplace_back(CommandRequeued{CommandId("cmd_" + std::to_string(i))});
  const Content text = Text("said");
  Row(many);
  Row({AttemptStarted{kCommand, 1, {}}});
  RecentRows rows(journal_);
  std::vector<std::string> seen;
  const std::vector<EventSpan> spans = {{1, 1}, {50, 2}, {100, 2}};
  ASSERT_TRUE(ReadSpans(rows, kPlan, spans, [&](const Event& event) {
    const auto* again = std::get_if<CommandRequeued>(&event.body);
    seen.push_back(again == nullptr ? "attempt" : again->command_id.str());
    EXPECT_EQ(event.plan_id, kPlan);
    EXPECT_EQ(event.caused_by, event.number == 1 || event.number == 101 ? 0U : 1U);
    return true;
  }));
  EXPECT_EQ(seen, (std::vector<std::string>{"cmd_0", "cmd_49", "cmd_50", "cmd_99", "attempt"}));
  EXPECT_EQ(**rows.Load(text), "said");
  EXPECT_EQ(rows.Load({Sha256("never"), 5, 1}).error().code, ErrorCode::kNotFound);
  EXPECT_EQ(*rows.Find(PlanId("plan_b"), 1), nullptr);
}

// Each of a plan's 100,000 tasks is written about from its own row and from the one that started them all.
TEST_F(HistoryTest, ALargeRowIsNotReadAgainForEverySmallOne) {
  const std::string name(60, 'x');
  const auto add = [&](int events) {
    std::vector<EventBody> many;
    for (int i = 0; i < events; ++i) {
      many.emplace_back(CommandRequeued{CommandId("cmd_" + name + std::to_string(i))});
    }
    const std::uint64_t first = next_;
    Row(many);
    return first;
  };
  const std::uint64_t large = add(20'000);
  std::vector<std::uint64_t> small;
  for (int i = 0; i < 60; ++i) small.push_back(add(3'000));
  RecentRows rows(journal_);
  const auto held = rows.Find(kPlan, large);
  ASSERT_TRUE(held && *held);
  for (const std::uint64_t row : small) ASSERT_TRUE(*rows.Find(kPlan, row));
  EXPECT_EQ(*rows.Find(kPlan, large), *held) << "read again";
  const auto first = rows.Find(kPlan, small.back());
  EXPECT_EQ(*rows.Find(kPlan, small.back()), *first);
  rows.Forget();
  EXPECT_NE(*rows.Find(kPlan, large), *held);
  EXPECT_EQ((*rows.Find(kPlan, large))->last(), (*held)->last());
}

TEST_F(HistoryTest, AnAnswerWithFencesStaysInItsBlock) {
  CommandSucceeded done;
  done.command_id = kCommand;
  done.result = Text("```\ncode\n```\n# not a heading\n");
  Row({Received(), done});
  const std::vector<EventSpan> trail = {{1, 2}};
  const auto ended = ReadEndedCommand(journal_, kPlan, kCommand, trail);
  ASSERT_TRUE(ended.has_value() && ended->has_value());
  const std::string transcript = TranscriptText(kPlan, **ended, LoadFrom(journal_));
  EXPECT_NE(transcript.find("````\n```\ncode\n```\n# not a heading\n````\n"), std::string::npos)
      << transcript;
}

TEST(PlainWords, AreNumbersAsPeopleWriteThem) {
  EXPECT_EQ(CountWords(1234567), "1,234,567");
  EXPECT_EQ(CountOf(1, "file", "files"), "1 file");
  EXPECT_EQ(SizeWords(999), "999 bytes");
  EXPECT_EQ(SizeWords(1234), "1.2 KB");
  EXPECT_EQ(SizeWords(56'700'000), "56.7 MB");
  EXPECT_EQ(NumberWords(90), "90");
  EXPECT_EQ(NumberWords(85.5), "85.5");
  EXPECT_EQ(CostWords({1200, 45, 1200}), "1,200 tokens in, 45 out, $0.0012");
  EXPECT_EQ(ExitCodeOf("exit code 3\n"), 3);
  EXPECT_FALSE(ExitCodeOf("done"));
  EXPECT_EQ(OneLine("a\nb\x1b[31mc", 100), "a b[31mc");
}

TEST(EventWords, SayWhatHappened) {
  const TextOfContent none = [](const Content&) { return std::string(R"({"argv":["ls"]})"); };
  const auto words = [&](EventBody body) {
    Event event;
    event.number = 7;
    event.body = std::move(body);
    return EventWords(event, none);
  };
  EXPECT_EQ(words(ModelCallIntended{kCommand, 2, {}, {}, {}}), "asked the model (call 2)");
  EXPECT_EQ(words(AnswerRefused{kCommand, 2, {"no JSON"}}), "the answer of call 2 was refused: no JSON");
  EXPECT_EQ(words(ToolCallIntended{kCommand, 3, "run_program", {}, true, {}}),
            R"(tool run_program {"argv":["ls"]} (call 3))");
  EXPECT_EQ(words(CommandEnded{kCommand, EndState::kTimedOut, ErrorCode::kAttemptTimeout, "late"}),
            "timed out: ATTEMPT_TIMEOUT: late");
  EXPECT_EQ(LevelOf(DeadLettered{}), LogLevel::kError);
  EXPECT_EQ(LevelOf(AnswerRefused{}), LogLevel::kWarning);
  EXPECT_EQ(LevelOf(CommandReadied{}), LogLevel::kInfo);
  EXPECT_EQ(TraceIdOf(kPlan).size(), 32U);
}

}  // namespace
}  // namespace agenttalk
