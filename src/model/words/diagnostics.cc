#include "model/words/diagnostics.h"

#include <fmt/args.h>
#include <fmt/format.h>

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error_code.h"
#include "base/issue.h"
#include "base/issue_text.h"
#include "base/language.h"

namespace agenttalk {
namespace {

struct Row {
  std::string_view english;  // {} stands for a value
  std::string_view chinese;  // {0} for the first of them
};

constexpr auto kRows = std::to_array<Row>({
    // Kinds of values.
    {"null", "null"},
    {"a boolean", "布尔值"},
    {"a number", "数字"},
    {"an integer", "整数"},
    {"a string", "字符串"},
    {"an array", "数组"},
    {"an object", "对象"},
    {"a number of seconds or a text like \"10m\"", "秒数，或 \"10m\" 这样的文本"},
    // Values (model/reading).
    {"must be {}, not {}", "必须是{0}，而不是{1}"},
    {"leave the field out instead of writing null", "请省去该字段，不要写 null"},
    {"write the value without quotes", "写这个值时不要加引号"},
    {"write true or false", "写 true 或 false"},
    {"write digits alone, e.g. 5", "只写数字，例如 5"},
    {"write it in [ ]", "把它写在 [ ] 中"},
    {"must be an integer", "必须是整数"},
    {"must be an integer, {} or more", "必须是不小于 {0} 的整数"},
    {"must be an integer, at most {}", "必须是不大于 {0} 的整数"},
    {"must be an integer from {} to {}", "必须是 {0} 到 {1} 的整数"},
    {"must be a number from {} to {}", "必须是 {0} 到 {1} 的数字"},
    {"{} is not a name that may become part of a path", "{0} 不能用作路径的一部分"},
    {"letters, digits, '.', '_' and '-', starting with a letter or digit, at most 128",
     "只用字母、数字、'.'、'_' 和 '-'，以字母或数字开头，最多 128 个字符"},
    {"\"{}\" is missing", "缺少 \"{0}\""},
    {"\"{}\" must not be blank", "\"{0}\" 不能为空"},
    {"must not be blank", "不能为空"},
    {"must be a SHA-256 in 64 hexadecimal digits", "必须是 64 个十六进制数字的 SHA-256"},
    {"must be a number of seconds or a text like \"50ms\", \"10s\", \"10m\", \"2h\"",
     "必须是秒数，或 \"50ms\"、\"10s\"、\"10m\"、\"2h\" 这样的文本"},
    {"{} is not one of {}", "{0} 不在可选范围内：{1}"},
    {"the field {} is not known", "没有字段 {0}"},
    {"{} more fields are not known", "另有 {0} 个未知字段"},
    {"did you mean \"{}\"?", "是不是想写 \"{0}\"？"},
    {"did you mean {}?", "是不是想写 {0}？"},
    // JSON.
    {"line {}, column {}: {}", "第 {0} 行第 {1} 列：{2}"},
    {"the key \"{}\" occurs twice in one object", "键 \"{0}\" 在同一个对象中出现两次"},
    {"the number is too large for a double", "数字超出了双精度浮点数的范围"},
    {"the text ends before the JSON value is complete", "文本在 JSON 值完整之前就结束了"},
    {"there is text after the JSON value", "JSON 值之后还有多余的文本"},
    {"half of a surrogate pair in a \\u escape", "\\u 转义中只有半个代理对"},
    {"a \\u escape needs four hexadecimal digits", "\\u 转义需要四位十六进制数字"},
    {"this is not JSON", "这不是 JSON"},
    {"nested deeper than {} levels", "嵌套超过 {0} 层"},
    {"remove the byte order mark at the start of the file", "请删除文件开头的字节序标记（BOM）"},
    {"{} bytes of JSON are more than the limit of {}", "JSON 有 {0} 字节，超过了 {1} 字节的上限"},
    {"the answer holds more than one JSON object", "回答中有不止一个 JSON 对象"},
    {"the JSON object in the answer does not end; it may have been cut off",
     "回答中的 JSON 对象没有结束，可能被截断了"},
    {"the answer holds no JSON object", "回答中没有 JSON 对象"},
    // The result of a command (prompts/answer_reader.cc).
    {"this field has no meaning here", "该字段在这里没有意义"},
    {"score must be a number from 0 to 100, not {}", "score 必须是 0 到 100 的数字，而不是{0}"},
    {"score must be from 0 to 100, not {}", "score 必须在 0 到 100 之间，而不是 {0}"},
    {"outputs must be an object of names and contents, not {}",
     "outputs 必须是由名称和内容组成的对象，而不是{0}"},
    {"commands for other tasks cannot be sent here: leave it out", "这里不能发送给其他任务的命令：请省去"},
    {"the name of an output has only letters, digits, '.', '_' and '-', begins with a letter or digit, and "
     "not "
     "with cmd_ or msg_",
     "输出的名称只含字母、数字、'.'、'_' 和 '-'，以字母或数字开头，且不以 cmd_ 或 msg_ 开头"},
    {"there is no file {} below outputs/ or inputs/; {}", "outputs/ 和 inputs/ 下没有文件 {0}；{1}"},
    {"nothing was left in outputs/", "outputs/ 中什么也没有"},
    {"outputs/ holds {}", "outputs/ 中有 {0}"},
    {"{} must be an array of objects, not {}", "{0} 必须是对象的数组，而不是{1}"},
    {"{} cannot be used here", "这里不能使用 {0}"},
    {"an entry of {} must be an object, not {}", "{0} 中的每一项必须是对象，而不是{1}"},
    {"commands cannot be used here", "这里不能使用 commands"},
    {"rework must be an object with task_id and reason", "rework 必须是带有 task_id 和 reason 的对象"},
    {"{} cannot be sent back from here", "不能从这里退回 {0}"},
    {"no reason given", "没有说明原因"},
    {"{} tools at once are more than the {} that may be asked for", "一次调用了 {0} 个工具，最多允许 {1} 个"},
    {"a tool call must have the name of a tool", "工具调用必须写明工具的名称"},
    {"the arguments of a tool must be an object, not {}", "工具的参数必须是对象，而不是{0}"},
    {"commands and tool_calls cannot stand in one answer: use the tools first",
     "commands 和 tool_calls 不能出现在同一个回答中：请先使用工具"},
    {"score is missing: a number from 0 to 100 is required", "缺少 score：需要 0 到 100 的数字"},
    {"the score is not explained", "没有解释评分"},
    {"the output {} is missing: each declared output must be given", "缺少输出 {0}：声明过的输出都必须给出"},
    {"result is missing", "缺少 result"},
    {"the answer has {} bytes; {} are allowed", "回答有 {0} 字节，最多允许 {1} 字节"},
    {"answer more briefly", "请更简短地回答"},
    // Stages and task plans (model/answer).
    {"what the task has led to", "任务得出的结果"},
    {"the id of the task that is to go elsewhere", "要改派的任务的 id"},
    {"the id of an agent of the pool", "资源池中某个 agent 的 id"},
    {"\"{}\" is no decision", "\"{0}\" 不是一种决定"},
    {"one of retry, skip, replan, stop", "retry、skip、replan、stop 之一"},
    {"must be 0 with {}", "{0} 时必须为 0"},
    {"\"{}\" is not one of {}", "\"{0}\" 不在可选范围内：{1}"},
    {"\"{}\" and \"{}\" both make {}", "\"{0}\" 和 \"{1}\" 都产生 {2}"},
    {"\"{}\" takes {}, which is no file of the goal and no output of a task",
     "\"{0}\" 使用 {1}，但它既不是目标的文件，也不是任何任务的输出"},
    {"\"{}\" cannot be the name of a file", "\"{0}\" 不能用作文件名"},
    {"use letters, digits, dots, dashes and underscores, and no folder",
     "请用字母、数字、点、短横线和下划线，不带文件夹"},
    {"a plan needs at least one task", "计划至少要有一个任务"},
    {"two tasks have the id \"{}\"", "有两个任务的 id 都是 \"{0}\""},
    {"\"{}\" depends on \"{}\", which is not a task", "\"{0}\" 依赖 \"{1}\"，但没有这个任务"},
    {"there is no task \"{}\"", "没有任务 \"{0}\""},
    {"the tasks wait for each other: {}", "任务互相等待：{0}"},
    // Thinking commands (model/answer, engine/thinking).
    {"command_name is missing", "缺少 command_name"},
    {"write {\"command_name\": \"pass\", \"args\": {}}",
     "请写 {{\"command_name\": \"pass\", \"args\": {{}}}}"},
    {"command_name must be a string, not {}", "command_name 必须是字符串，而不是{0}"},
    {"a command's name has 1 to {} characters", "命令的名称为 1 到 {0} 个字符"},
    {"args must be an object, not {}", "args 必须是对象，而不是{0}"},
    {"args must be an object", "args 必须是对象"},
    {"the arguments have {} bytes; {} are allowed", "参数有 {0} 字节，最多允许 {1} 字节"},
    {"put long texts into the result or an output", "长文本请放进结果或输出"},
    {"a command must be an object, not {}", "命令必须是对象，而不是{0}"},
    {"a command has command_name and args, and nothing else", "命令只有 command_name 和 args，没有别的字段"},
    {"put arguments into args", "参数请放进 args"},
    {"commands must be an array of objects, not {}", "commands 必须是对象的数组，而不是{0}"},
    {"{} commands at once; {} are allowed", "一次有 {0} 个命令，最多允许 {1} 个"},
    {"issue fewer, and go on in the next answer", "请少发几个，其余的在下一个回答中再发"},
    {"the commands have {} bytes together; {} are allowed", "这些命令共 {0} 字节，最多允许 {1} 字节"},
    {"there is no command {}", "没有命令 {0}"},
    {"use one of the commands that you were told", "请使用告诉过你的命令"},
    {"{} may not issue {}", "{0} 不能发出 {1}"},
    {"do without it; a person may add {} to the agent's permissions",
     "请不要用它；人可以把 {0} 加进该 agent 的权限"},
    {"the plan is at revision {}; this was decided on revision {}",
     "计划现在是第 {0} 版，而这是按第 {1} 版决定的"},
    {"look at the plan again, and decide on the new revision", "请重新查看计划，按新版本决定"},
    {"ask_human waits for its answer, so the task can neither end nor begin anew",
     "ask_human 要等待回答，因此任务既不能结束，也不能重新开始"},
    {"ask first; decide when the answer is there", "请先提问，得到回答后再决定"},
    {"a task that begins anew cannot be finished by the same batch", "重新开始的任务不能由同一批命令结束"},
    {"leave out finish_current_task, or the change that resets your task",
     "请省去 finish_current_task，或省去使你的任务重新开始的更改"},
    {"there is no command", "没有命令"},
    {"and {} more", "以及另外 {0} 个"},
    {"{} must be a list of task ids, not {}", "{0} 必须是任务 id 的列表，而不是{1}"},
    {"{} has {} entries; {} are allowed", "{0} 有 {1} 项，最多允许 {2} 项"},
    {"{} names nobody", "{0} 没有写明任何人"},
    {"{} must be a string, not {}", "{0} 必须是字符串，而不是{1}"},
    {"this cannot be {}", "这不能是{0}"},
    {"the id of an agent", "agent 的 id"},
    {"the id of a task", "任务的 id"},
    {"an id has letters, digits, '.', '_' and '-', begins with a letter or digit, and is no path",
     "id 只含字母、数字、'.'、'_' 和 '-'，以字母或数字开头，且不是路径"},
    {"{} is empty", "{0} 为空"},
    {"{} has {} bytes; {} are allowed", "{0} 有 {1} 字节，最多允许 {2} 字节"},
    {"{} is missing", "缺少 {0}"},
    {"the command is {}", "该命令是 {0}"},
    {"{} has no such argument", "{0} 没有这个参数"},
    {"append the task that is missing in the same batch, or depend on one of: {}",
     "请在同一批命令中加上缺少的任务，或依赖以下之一：{0}"},
    {"leave out one of these dependencies", "请去掉其中一个依赖"},
    {"a task with outputs or a score is finished with its result", "有输出或评分的任务要连同结果一起结束"},
    {"the result of your task is the result of your answer", "任务的结果就是你这个回答的 result"},
    {"answer {\"result\": …, \"commands\": [{\"command_name\": \"finish_current_task\"}]}",
     "请回答 {{\"result\": …, \"commands\": [{{\"command_name\": \"finish_current_task\"}}]}}"},
    {"there is a task {} already", "已经有任务 {0}"},
    {"use replace_task to change it, or give the new task another id",
     "请用 replace_task 更改它，或给新任务另一个 id"},
    {"a plan has at most {} tasks", "一个计划最多有 {0} 个任务"},
    {"a person is asked one thing at a time", "每次只能问人一件事"},
    {"join the questions into one", "请把问题合并为一个"},
    {"people have too many open questions already", "等待人回答的问题已经太多"},
    {"decide without asking", "请不提问而自行决定"},
    {"send it to an agent that you may see", "请发送给你可以看到的 agent"},
    // The plan that changes would make (model/dag).
    {"the id \"{}\" is taken by {}", "id \"{0}\" 已被 {1} 使用"},
    {"give each task its own id", "请给每个任务各自的 id"},
    {"the output \"{}\" is listed twice in this task", "输出 \"{0}\" 在该任务中列了两次"},
    {"the output \"{}\" is also made by \"{}\"", "输出 \"{0}\" 也由 \"{1}\" 产生"},
    {"remove one, or give both a \"when\" with scores that do not overlap",
     "请去掉一个，或给两者写上得分范围不重叠的 \"when\""},
    {"rename one, or give both versioning.mode keep_latest or overwrite_by_name",
     "请改其中一个的名称，或给两者写上 versioning.mode keep_latest 或 overwrite_by_name"},
    {"there is no agent \"{}\"", "没有 agent \"{0}\""},
    {"a task cannot be its own fallback", "任务不能作为自己的后备"},
    {"name another task", "请写另一个任务"},
    {"{} different globs in a plan of {} tasks are too many",
     "{1} 个任务的计划中有 {0} 个不同的通配符，太多了"},
    {"write deliver_to, or use exact names", "请写 deliver_to，或使用确切的名称"},
    {"the output \"{}\" has no receiver", "输出 \"{0}\" 没有接收者"},
    {"give it \"deliver_to\", or \"deliverable\": true", "请给它 \"deliver_to\"，或 \"deliverable\": true"},
    {"no task has an output \"{}\"", "没有任务产生输出 \"{0}\""},
    {"no other task has an output \"{}\"", "没有其他任务产生输出 \"{0}\""},
    {"no task makes \"{}\" and no file of the plan has that name",
     "没有任务产生 \"{0}\"，计划也没有这个名称的文件"},
    {"no other task makes \"{}\" and no file of the plan has that name",
     "没有其他任务产生 \"{0}\"，计划也没有这个名称的文件"},
    {"a task cannot wait for its own output; remove it from `inputs`",
     "任务不能等待自己的输出；请把它从 `inputs` 中去掉"},
    {"the task waits until somebody puts the file into its agent's inbox",
     "该任务会等到有人把文件放进它的 agent 的 inbox"},
    {"nothing is called \"{}\"", "没有叫 \"{0}\" 的东西"},
    {"no task makes \"{}\", which the gate needs", "没有任务产生关口所需的 \"{0}\""},
    {"the task waits until somebody delivers it; for a person's approval write `human`",
     "该任务会等到有人交付它；需要人批准请写 `human`"},
    {"remove one of these dependencies", "请去掉其中一个依赖"},
    // Commands for other tasks (engine/command/sending_rules.cc, runtime/answers/sent_command.cc).
    {"{} at /{}: {}", "{0}（/{1}）：{2}"},
    {"the command is of {}, its sender of {}", "该命令属于 {0}，而发送者属于 {1}"},
    {"a task's agent may only send commands of its own plan", "任务的 agent 只能发送自己计划中的命令"},
    {"{} holds the command {}", "{0} 中的命令是 {1}"},
    {"name the file as its command_id says: <command_id>.json",
     "文件名要与 command_id 一致：<command_id>.json"},
    {"{} exists already in {}", "{1} 中已经有 {0}"},
    {"make the command again with generate_command: leave command_id and command_seq out",
     "请用 generate_command 重新生成命令：不要写 command_id 和 command_seq"},
    {"{} sends a command to itself", "{0} 给自己发送了命令"},
    {"a task's result is its end; name another task", "任务给出结果就结束；请写另一个任务"},
    {"{} may send no commands", "{0} 不能发送命令"},
    {"add \"{}\" to the permissions of its profile", "请把 \"{0}\" 加进它的配置中的 permissions"},
    {"assigned_agent_id is missing: it is not said who is to do it",
     "缺少 assigned_agent_id：没有写明由谁来做"},
    {"name an agent of the team, or a task of the plan's DAG",
     "请写团队中的一个 agent，或计划 DAG 中的一个任务"},
    {"{} may not send to {}", "{0} 不能发送给 {1}"},
    {"add {} to the visibility of {}", "请把 {0} 加进 {1} 的 visibility"},
    {"there is no agent {}", "没有 agent {0}"},
    // Steps that an agent plans itself (model/steps, engine/role).
    {"params must be an object, not {}", "params 必须是对象，而不是{0}"},
    {"the params of a step are at most 256 KiB", "一个步骤的 params 最多 256 KiB"},
    {"{} stands for nothing", "{0} 没有所指"},
    {"of the command there is ${command.prompt}", "命令只有 ${{command.prompt}}"},
    {"{}: there is no such parameter", "{0}：没有这个参数"},
    {"of a step there is ${step_id.result}", "步骤只有 ${{step_id.result}}"},
    {"{} is not the result of an earlier step", "{0} 不是前面步骤的结果"},
    {"a step may refer to the steps before it", "步骤只能引用它前面的步骤"},
    {"a request must say what is to be done", "请求必须写明要做什么"},
    {"give params.subtask a text", "请给 params.subtask 写上文本"},
    {"the subtask may not hold references", "subtask 中不能有引用"},
    {"put results into params.context, which the other agent gets as data",
     "结果请放进 params.context，另一个 agent 会作为数据得到它"},
    {"\"{}\" cannot be a step's id", "\"{0}\" 不能作为步骤的 id"},
    {"there are two steps {}", "有两个步骤 {0}"},
    {"{} does not come after {}", "{0} 不在 {1} 之后"},
    {"there is no step {}", "没有步骤 {0}"},
    {"stop, retry, skip, or the id of a later step", "stop、retry、skip，或后面某个步骤的 id"},
    {"{} runs only when another step fails", "{0} 只在另一个步骤失败时运行"},
    {"refer to the step it stands in for: its result is the alternative's then",
     "请引用它所代替的步骤：那时它的结果就是替代步骤的结果"},
    {"{} steps; {} are allowed", "有 {0} 个步骤，最多允许 {1} 个"},
    {"a plan needs a step", "计划至少要有一个步骤"},
    {"no procedure \"{}\" fits this task", "没有适合该任务的流程 \"{0}\""},
    {"choose one that was listed, or another strategy", "请选择列出的流程，或另一种策略"},
});

constexpr std::string_view kValue = "{}";

// The values of the places of `form` in `text`; nothing if the text does not have this form.
std::optional<std::vector<std::string_view>> ValuesIn(std::string_view form, std::string_view text) {
  std::vector<std::string_view> values;
  if (form == text) return values;
  std::size_t place = form.find(kValue);
  if (place == std::string_view::npos || !text.starts_with(form.substr(0, place))) return std::nullopt;
  text.remove_prefix(place);
  while (place != std::string_view::npos) {
    form.remove_prefix(place + kValue.size());
    place = form.find(kValue);
    const std::string_view after = form.substr(0, place);
    const bool is_last = place == std::string_view::npos;
    if (is_last && !text.ends_with(after)) return std::nullopt;
    const std::size_t end = is_last ? text.size() - after.size() : text.find(after);
    if (end == std::string_view::npos) return std::nullopt;
    values.push_back(text.substr(0, end));
    text.remove_prefix(end + after.size());
  }
  return values;
}

// How much of a form is fixed: of two that fit, the one that says more is meant.
std::size_t FixedPart(std::string_view form) {
  std::size_t fixed = form.size();
  for (std::size_t at = form.find(kValue); at != std::string_view::npos; at = form.find(kValue, at + 1)) {
    fixed -= kValue.size();
  }
  return fixed;
}

// A value may be a wording itself ("a string", what follows a place in a text), and no deeper.
constexpr int kDeepest = 2;

std::string InChinese(std::string_view english, int depth) {
  const Row* best = nullptr;
  std::vector<std::string_view> values;
  for (const Row& row : kRows) {
    if (best != nullptr && FixedPart(row.english) <= FixedPart(best->english)) continue;
    auto found = ValuesIn(row.english, english);
    if (!found) continue;
    best = &row;
    values = *std::move(found);
  }
  if (best == nullptr) return std::string(english);
  fmt::dynamic_format_arg_store<fmt::format_context> arguments;
  for (const std::string_view value : values) {
    arguments.push_back(depth < kDeepest ? InChinese(value, depth + 1) : std::string(value));
  }
  return fmt::vformat(best->chinese, arguments);
}

}  // namespace

std::string Diagnostic(std::string_view english, Language language) {
  return language == Language::kEnglish ? std::string(english) : InChinese(english, 0);
}

std::string IssueWithHint(const Issue& issue, Language language) {
  if (language == Language::kEnglish) return IssueWithHint(issue);
  std::string text(ToString(issue.code));
  if (!issue.path.empty()) text += fmt::format("（{}）", issue.path);
  text += "：" + Diagnostic(issue.message, language);
  if (!issue.hint.empty()) text += fmt::format("（{}）", Diagnostic(issue.hint, language));
  return text;
}

}  // namespace agenttalk
