#include "model/words/catalogue.h"

#include <array>
#include <cstddef>
#include <string_view>
#include <utility>

#include "base/language.h"

namespace agenttalk {
namespace {

struct Entry {
  Phrase phrase;
  std::string_view english;
  std::string_view chinese;
};

constexpr std::array<Entry, static_cast<std::size_t>(Phrase::kCount)> kEntries{{
    {Phrase::kFile, "{0} ({1} bytes): {2}", "{0}（{1} 字节）：{2}"},
    {Phrase::kNotText, "    (not text; open the file)", "    （不是文本，请打开文件查看）"},
    {Phrase::kMoreLines, "    … {0} more lines in the file", "    …… 文件中还有 {0} 行"},
    {Phrase::kChanges, "Changes since the last version (+{0} -{1} lines, all of them in {2}):",
     "与上一版相比的改动（+{0} -{1} 行，全部见 {2}）："},
    {Phrase::kUnchanged, "Nothing in it has changed since the last version.", "与上一版相比没有变化。"},
    {Phrase::kBeforeFile, "{0} has changed since the last version.", "{0} 与上一版不同。"},
    {Phrase::kApproveLeadsTo, "Approve: {0}", "批准：{0}"},
    {Phrase::kRejectLeadsTo, "Reject: {0}", "拒绝：{0}"},
    {Phrase::kTextLeadsTo, "Text: {0}", "文字回答：{0}"},
    {Phrase::kGate, "Does the result of task {0} ({1}) by {2} pass?",
     "是否批准任务 {0}（{1}，由 {2} 完成）的结果？"},
    {Phrase::kResultPass, "Does the result of task {0} ({1}) by {2} pass? A person is asked because: {3}",
     "是否批准任务 {0}（{1}，由 {2} 完成）的结果？需要人来决定，原因：{3}"},
    {Phrase::kDoneThen, "the task is done, its outputs are delivered, and {0} can continue.",
     "任务完成，输出被交付，{0} 可以继续。"},
    {Phrase::kDone, "the task is done and its outputs are delivered.", "任务完成，输出被交付。"},
    {Phrase::kGoesBack, "the task goes back to {0} with your text (rejection {1} of at most {2}).",
     "任务连同你的文字退回给 {0}（第 {1} 次拒绝，最多 {2} 次）。"},
    {Phrase::kFailsNow, "the task fails, because it was sent back as often as is allowed ({0}).",
     "任务失败，因为退回次数已达上限（{0}）。"},
    {Phrase::kNotInTime, "nobody approved it in time", "没有人在期限内批准"},
    {Phrase::kPersonReject, "a person rejected the result without saying why",
     "人拒绝了该结果，没有说明原因"},
    {Phrase::kReplan, "Task {0} of {1} cannot start: {2}.", "{1} 的任务 {0} 无法开始：{2}。"},
    {Phrase::kReplanApprove, "what failed is executed again.", "失败的任务重新执行。"},
    {Phrase::kReplanReject, "the task is skipped. A new revision of the plan is possible at any time.",
     "跳过该任务。随时可以修订计划。"},
    {Phrase::kOutcome,
     "{0} was running the tool {1} when it was interrupted. It is not known whether the tool took effect, "
     "and "
     "it must not run twice. Check, then decide.",
     "{0} 运行工具 {1} 时被中断，不知道它是否已经生效，而它不能运行两次。请先核实，再作决定。"},
    {Phrase::kOutcomeApprove,
     "it took effect; your text is its result, and files that you attach are what it left in outputs/.",
     "已经生效；你的文字作为它的结果，附上的文件作为它留在 outputs/ 中的文件。"},
    {Phrase::kOutcomeReject, "the command ends.", "命令结束。"},
    {Phrase::kConfirmedDone, "A person confirmed that it was done.", "已由人确认完成。"},
    {Phrase::kWork, "Task {0} is yours: {1}", "任务 {0} 由你完成：{1}"},
    {Phrase::kWorkText, "your text is the task's result; attached files are its outputs.",
     "你的文字就是任务的结果，附上的文件是它的输出。"},
    {Phrase::kWorkReject, "the task fails.", "任务失败。"},
    {Phrase::kToolInputText,
     "the tool gets your answer: the value itself, lines `field: value`, or a JSON object.",
     "工具得到你的回答：可以直接写值、写成若干行“字段: 值”，或写一个 JSON 对象。"},
    {Phrase::kToolInputApprove, "the tool continues with the defaults.", "工具用默认值继续。"},
    {Phrase::kToolInputReject, "the tool is told that you decline.", "工具得知你拒绝回答。"},
    {Phrase::kHelp, "{0} asks you for help: {1}", "{0} 请你帮忙：{1}"},
    {Phrase::kHelpContext, "What it says about it: {0}", "它的说明：{0}"},
    {Phrase::kHelpText, "your text is the answer; the agent continues with it.",
     "你的文字就是回答，智能体据此继续。"},
    {Phrase::kHelpReject, "{0} is told that you do not do it.", "{0} 会得知你不做这件事。"},
    {Phrase::kBudget, "{0} needs about {1} more tokens{4}, but {2} has used{3}.",
     "{0} 大约还需要 {1} 个 token{4}，但 {2} 已用去{3}。"},
    {Phrase::kBudgetApprove, "the same budget is added once more.", "再追加一份同样的预算。"},
    {Phrase::kBudgetReject, "the command ends.", "命令结束。"},
    {Phrase::kTheHub, "the hub", "整个 hub"},
    {Phrase::kUsedTokens, " {0} of {1} tokens", " {1} 个 token 中的 {0} 个"},
    {Phrase::kUsedMoney, " {0} of {1} USD", " {1} 美元中的 {0} 美元"},
    {Phrase::kCommandEnded, "{0} of {1} ended: {2} ({3})", "{1} 的 {0} 结束：{2}（{3}）"},
    {Phrase::kNotDelivered, "{0} of {1} was not delivered: {2} ({3})", "{1} 的 {0} 没有送达：{2}（{3}）"},
    {Phrase::kCouldNotAnswer, "{0} could not answer: {1}.", "{0} 无法回答：{1}。"},
    {Phrase::kAskAgain, "it is asked again; your text, if any, is told as your words.",
     "再问一次；如果你写了文字，会作为你的话告诉它。"},
    {Phrase::kGiveUp, "it is given up.", "放弃。"},
    {Phrase::kSeesNoWay, "it sees no way: {0}", "它认为没有办法：{0}"},
    {Phrase::kRouteContinue, "leave the plan as it is ({0})", "计划保持不变（{0}）"},
    {Phrase::kRouteMinor, "change a part of the plan: {0}", "修改计划的一部分：{0}"},
    {Phrase::kRouteFull, "make a new plan for the goal: {0}", "为目标重新制定计划：{0}"},
    {Phrase::kRouteNew, "begin a new plan beside this one: {0}", "在此之外开始一个新计划：{0}"},
    {Phrase::kRoutePause, "pause the plan", "暂停计划"},
    {Phrase::kRouteResume, "resume the plan", "恢复计划"},
    {Phrase::kRouteCancel, "cancel the plan: everything that is not finished ends",
     "取消计划：所有未完成的工作都会结束"},
    {Phrase::kRouteStatus, "say how far the plan is", "报告计划的进度"},
    {Phrase::kRouteQuestion, "What you said would {0}. A person is asked because: {1}",
     "按照你所说的，将会{0}。需要人来决定，原因：{1}"},
    {Phrase::kRouteApprove, "{0}.", "{0}。"},
    {Phrase::kRouteReject, "nothing changes.", "什么都不变。"},
    {Phrase::kRouteText, "your text is considered together with what you said before.",
     "连同之前所说的，重新理解你写的内容。"},
    {Phrase::kPlanQuestion, "Carry out this plan of {0} tasks for \"{1}\"? A person is asked because: {2}",
     "是否执行为“{1}”制定的这个计划（{0} 个任务）？需要人来决定，原因：{2}"},
    {Phrase::kPlannedTask, "- {0} ({1}{3}): {2}", "- {0}（{1}{3}）：{2}"},
    {Phrase::kNeeds, ", after {0}", "，在 {0} 之后"},
    {Phrase::kPlanRisk, "Risk: {0}. {1}", "风险：{0}。{1}"},
    {Phrase::kPlanApprove, "the tasks start.", "任务开始执行。"},
    {Phrase::kPlanReject,
     "with a text, the planner makes another plan that follows it; without one, the goal is given up.",
     "写了文字，规划者会据此重新制定计划；没有文字，则放弃该目标。"},
    {Phrase::kSentBackTimes, "it was sent back {0} times: {1}", "它已被退回 {0} 次：{1}"},
    {Phrase::kCapability, "CAPABILITY_MISSING: nobody can do {0}.", "CAPABILITY_MISSING：没有人能做 {0}。"},
    {Phrase::kCapabilityText, "an agent's id: that agent gets it, although it lacks the capability.",
     "写一个智能体的 id：交给它，尽管它缺少该能力。"},
    {Phrase::kCapabilityMine, "you do it yourself.", "由你自己来做。"},
    {Phrase::kCapabilityForce, "{1} was to go to {0}, which lacks {2}", "打算把 {1} 交给 {0}，但它缺少 {2}"},
    {Phrase::kToolQuestion, "{0} wants to call the tool {1} for task {2}. A person is asked because: {3}",
     "{0} 想为任务 {2} 调用工具 {1}。需要人来决定，原因：{3}"},
    {Phrase::kToolArguments, "Its arguments: {0}", "参数：{0}"},
    {Phrase::kToolApprove, "the tool is called.", "调用该工具。"},
    {Phrase::kToolReject, "it is not called, and {0} is told your text.", "不调用，并把你的文字告诉 {0}。"},
    {Phrase::kClarifyText, "{0} is told your answer and continues.", "{0} 得到你的回答后继续。"},
    {Phrase::kFailure, "{0}.", "{0}。"},
    {Phrase::kFailureApprove, "{0} is tried again; your text is told as an instruction.",
     "重新尝试 {0}；你的文字会作为指示告诉执行者。"},
    {Phrase::kFailureReject, "the plan fails.", "计划失败。"},
    {Phrase::kFailureText, "{0} is tried again with what you write as an instruction.",
     "按照你写的指示重新尝试 {0}。"},
    {Phrase::kRecommended, "(recommended)", "（推荐）"},
    {Phrase::kCloseApprove, "the results are taken as they are, and the plan is completed.",
     "按现状接受结果，计划完成。"},
    {Phrase::kCloseReject, "the plan counts as failed.", "计划视为失败。"},
    {Phrase::kTryAgain, "a person wants it tried again", "人希望再试一次"},
    {Phrase::kPersonSaidGo, "continue", "继续"},
    {Phrase::kAgentAsks, "its agent asks for it", "完成它的智能体要求由人确认"},
    {Phrase::kHighRisk, "the risk is high: {0}", "风险高：{0}"},
    {Phrase::kUnsure, "the confidence is only {0:g} of 100", "置信度只有 {0:g}（满分 100）"},
    {Phrase::kAsksConfirmation, "a confirmation is asked for", "要求确认"},
    {Phrase::kNoteIntent, "understanding: the person wants: {0} ({1})", "理解：人想要：{0}（{1}）"},
    {Phrase::kNoteRoute, "router: {0}, because {1}", "路由：{0}，因为 {1}"},
    {Phrase::kNoteFileNew, "the person gave a new file: {0}", "人给了一个新文件：{0}"},
    {Phrase::kNoteFileChanged, "the person gave {0} again, with other content",
     "人重新给了 {0}，内容与之前不同"},
    {Phrase::kNotePlan, "planner: tasks {0}: {1}", "规划：任务 {0}：{1}"},
    {Phrase::kNoteFailed, "{0} could not do it: {1}", "{0} 无法完成：{1}"},
    {Phrase::kNoteClarify, "{0} asked a person: {1}", "{0} 询问人：{1}"},
    {Phrase::kNoteApproved, "reviewer: {0} approved with {1:g}: {2}", "审查：{0} 通过（{1:g} 分）：{2}"},
    {Phrase::kNoteSentBack, "reviewer: {0} sent back with {1:g}: {2}", "审查：{0} 被退回（{1:g} 分）：{2}"},
    {Phrase::kNoteDone, "task {0} is done by {1}: {2}", "任务 {0} 由 {1} 完成：{2}"},
    {Phrase::kNoteTaskFailed, "task {0} of {1} failed: {2}", "{1} 的任务 {0} 失败：{2}"},
    {Phrase::kNoteSkipped, "task {0} was skipped: {1}", "任务 {0} 被跳过：{1}"},
    {Phrase::kNoteOrchestrator, "orchestrator: {0}; decided: {1}, because {2}",
     "编排：{0}；决定：{1}，因为 {2}"},
    {Phrase::kNoteEnd, "orchestrator: {0}", "编排：{0}"},
    {Phrase::kNoteRemark, "remark \"{0}\": {1}", "意见“{0}”：{1}"},
    {Phrase::kNotePerson, "a person: {0}", "人：{0}"},
    {Phrase::kThePlan, "the plan", "计划"},
    {Phrase::kResultOf, "the result of {0}", "{0} 的结果"},
    {Phrase::kWordGoal, "Original goal: {0}", "原始目标：{0}"},
    {Phrase::kWordUnderstood, "Understood as: {0}", "理解为：{0}"},
    {Phrase::kWordClarification, "Clarification (asked: {0}): {1}", "澄清（问：{0}）：{1}"},
    {Phrase::kWordRemark, "Remark: {0}", "意见：{0}"},
    {Phrase::kWordPerson, "A person said: {0}", "人说：{0}"},
    {Phrase::kLowScore, "a score of {0:g} where {1:g} is required", "得分 {0:g}，要求 {1:g}"},
    {Phrase::kSentBackBy, "{0}, which uses the result, sent it back", "使用该结果的 {0} 将其退回"},
    {Phrase::kReviewerSent, "the reviewer sent it back", "审查者将其退回"},
    {Phrase::kRejectedBy, "a person rejected it", "人拒绝了它"},
    {Phrase::kSkippedInput, "{0} was skipped ({1}): there is nothing from it",
     "{0} 被跳过（{1}）：没有来自它的结果"},
    {Phrase::kPlanAt, "The plan is at revision {0}:", "计划现在是第 {0} 版："},
    {Phrase::kTaskFinished, "finished", "已完成"},
    {Phrase::kTaskOpen, "not finished", "未完成"},
    {Phrase::kTaskSkipped, "skipped: {0}", "已跳过：{0}"},
    {Phrase::kTaskSkippedNow, "skipped", "已跳过"},
    {Phrase::kTaskNeeds, ", needs {0}", "，依赖 {0}"},
    {Phrase::kAndMoreTasks, "- and {0} more tasks", "- 还有 {0} 个任务"},
    {Phrase::kCommandsDone, "Your commands were carried out: {0}.", "你的命令已执行：{0}。"},
    {Phrase::kNowRevision, " The plan is at revision {0} now.", "计划现在是第 {0} 版。"},
    {Phrase::kCommandsNot, "None of your commands was carried out: {0}. {1}", "你的命令都没有执行：{0}。{1}"},
    {Phrase::kYes, "Yes.", "是。"},
    {Phrase::kNo, "No.", "否。"},
    {Phrase::kNobodyAnswered, "Nobody answered in time. Decide without an answer.",
     "没有人在期限内回答。请自行决定。"},
    {Phrase::kRefusedCall, "a person refused this call", "人拒绝了这次调用"},
    {Phrase::kRefusedCallSaying, "a person refused this call: {0}", "人拒绝了这次调用：{0}"},
    {Phrase::kNobodyDid, "nobody answers; continue with what is there, or FAIL",
     "没有人回答；请用现有的内容继续，或者 FAIL"},
    {Phrase::kScoreCriteria, "how well the result meets the prompt, 0-100", "结果满足提示要求的程度，0-100"},
}};

// Tools and thinking commands by their names, actions of an internal plan by "action <name>". Their English
// is where they are declared.
constexpr auto kDescriptions = std::to_array<std::pair<std::string_view, std::string_view>>({
    {"append_task",
     "向计划追加一个新任务，task_id 是新的 id。dependent_task_ids 是必须先完成的任务的 id，可以为空；"
     "instruction 说明要做什么；assignee 是执行它的智能体。"},
    {"reset_task", "重置一个任务：它以及直接或间接依赖它的所有任务都会失去状态和结果，并重新执行。"},
    {"replace_task", "用同一 id 的新任务替换一个任务，并重置直接或间接依赖它的所有任务。"},
    {"finish_current_task", "完成你正在执行的任务。它的结果就是你回答中的结果；依赖它的任务会继续。"},
    {"publish_message", "向团队中由 send_to 指定的另一个智能体发布消息。它会在下一个任务中读到。"},
    {"ask_human",
     "当你无法完成当前任务，或对所遇到的情况没有把握时使用。问题应简要概括你的处境，并以一个清楚简洁的问题结"
     "尾。"
     "得到回答后会再次询问你。"},
    {"reply_to_human", "用给定的内容回复用户。当你对用户的问题有明确的答案或解决办法时使用。"},
    {"pass", "跳过，什么都不做：如果你认为既不需要更新计划，也不需要发布消息。"},
    {"read_file",
     "按路径读取本任务的一个文本文件，例如 inputs/data.csv、outputs/report.md 或 work/notes.md。"},
    {"write_file",
     "写入本任务的一个文本文件：放在 outputs/ 下（属于结果）或 work/ 下（草稿）；原有的内容会被替换。"},
    {"list_files", "列出本任务的文件及其大小，或某个文件夹下的文件。"},
    {"search_files", "在本任务的文件中查找包含某段文字的行；\"files\" 是文件名的模式。"},
    {"run_program",
     "在没有网络的沙箱中运行一个程序。它从任务的文件夹启动：inputs/ 可读，outputs/（属于结果）和 "
     "work/（草稿）可写。"
     "\"argv\" 是程序及其参数；没有 shell。"},
    {"read_skill", "读取一项技能的完整说明。"},
    {"generate_command",
     "由少数参数（至少 "
     "\"prompt\"）为另一个任务或智能体生成一个完整、有效的命令，或说明参数有什么问题。回答中会说明如何"
     "发送该命令。技能 generate-command 有说明。"},
    {"create_plan_from_structure", "用给定的任务结构建立一个计划。"},
    {"get_task", "给出计划中的一个任务：内容、执行者、状态和结果。"},
    {"get_ready_tasks", "列出现在可以开始的任务。"},
    {"get_tasks_for_role", "列出分配给某个智能体的任务。"},
    {"get_plan_status", "给出计划的进度。"},
    {"get_plan_structure", "给出计划的任务及其依赖关系。"},
    {"update_task_status", "报告你自己任务的状态。"},
    {"action ask_model",
     "询问模型。params：prompt（这一步要得到什么；任务和输入是已知的）。它的结果就是回答。"},
    {"action write_output", "写入任务声明的一个输出。params：name、content。它的结果就是该内容。"},
    {"action publish_message",
     "向其他智能体发送消息。params：content、send_to（一个智能体的 id，或 id 的列表）。"},
    {"action update_task_status",
     "报告任务的状态。params：status（in_progress、completed、failed）、summary。它的结果就是 "
     "summary；failed "
     "会结束任务。"},
});

}  // namespace

std::string_view Wording(Phrase phrase, Language language) {
  const Entry& entry = kEntries.at(static_cast<std::size_t>(phrase));
  return language == Language::kChinese ? entry.chinese : entry.english;
}

std::string_view DescriptionOf(std::string_view name, Language language, std::string_view otherwise) {
  if (language != Language::kChinese) return otherwise;
  for (const auto& [known, chinese] : kDescriptions) {
    if (known == name) return chinese;
  }
  return otherwise;
}

}  // namespace agenttalk
