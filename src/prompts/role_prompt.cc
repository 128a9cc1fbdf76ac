#include "prompts/role_prompt.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/answer/role_request.h"
#include "model/request/model_request.h"
#include "prompts/composer.h"
#include "prompts/phrases.h"

namespace agenttalk {
namespace {

// The fixed words. Names that a program reads are the same in all languages.
struct RoleWords {
  std::string_view step;
  std::string_view strategy;
  std::string_view sops;
  std::string_view plan;
  std::string_view form;
  std::string_view actions;
  std::string_view tools;
  std::string_view colleagues;
  std::string_view outputs;  // the names follow
  std::string_view outputs_rule;
  std::string_view outputs_folder;
  std::string_view criteria;  // they follow
};

constexpr RoleWords kRoleEnglish{
    .step = "\n# This step\nThe task above is done in steps. Do only this one now:\n",
    .strategy = R"(
# Answer
Do not do the task yet. Say how to go about it: "simple" (one answer suffices), "template" (follow a procedure of
those listed below) or "freeform" (it takes several steps, tools or the help of others, planned first). Answer with
exactly one JSON object and nothing else:
{"strategy": "simple|template|freeform", "sop": "<procedure, for template>", "reason": "<one sentence>"}
)",
    .sops = "The procedures:\n",
    .plan = R"(
# Answer
Do not do the task yet. Plan it: the fewest steps that do it well, in order. Answer with exactly one JSON object and
nothing else:
)",
    .form =
        R"({"steps": [{"id": "<name>", "type": "execute_action", "name": "<action>", "params": {…}, "on_error": "stop"},
           {"id": "<name>", "type": "use_tool", "name": "<tool>", "params": {…}, "on_error": "retry", "risk": "low"},
           {"id": "<name>", "type": "request_collaboration", "to": "<agent>", "params": {"subtask": "<what to do>",
            "context": "<what it needs to know>", "deadline": 600}, "on_error": "<id of a later step>"}]}
A string in params may hold ${id.result}, the result of an earlier step (not in a subtask). on_error is stop, retry, skip,
or the id of a later step that is then done in its place, and only then. risk of a tool is low, medium or high: high where it
cannot be undone or costs money, and a person is asked before it runs. The result of the last step is the task's.
)",
    .actions = "The actions:\n",
    .tools = "The tools, with their params:\n",
    .colleagues = "The agents you may ask, with what they can do:\n",
    .outputs = "The task makes these outputs: ",
    .outputs_rule =
        ". Write each with write_output; the result of the last step becomes the only output of a task that "
        "makes "
        "one.\n",
    .outputs_folder =
        "A tool may also leave an output as a file: outputs/<name>. It finds inputs at inputs/<name>.\n",
    .criteria = "The result is scored from 0 to 100, by the last step that asks the model. The criteria:\n",
};

constexpr RoleWords kRoleChinese{
    .step = "\n# 本步骤\n上述任务分步完成。现在只做这一步：\n",
    .strategy = R"(
# 回答
先不要执行任务，只说明如何处理："simple"（一次回答即可）、"template"（遵循下列某个规程）或
"freeform"（需要多个步骤、工具或他人协助，先做计划）。只用一个 JSON 对象回答，不要有其他内容：
{"strategy": "simple|template|freeform", "sop": "<规程名，仅用于 template>", "reason": "<一句话>"}
)",
    .sops = "可用的规程：\n",
    .plan = R"(
# 回答
先不要执行任务，只做计划：用最少的步骤把它做好，按顺序列出。只用一个 JSON 对象回答，不要有其他内容：
)",
    .form =
        R"({"steps": [{"id": "<名称>", "type": "execute_action", "name": "<动作>", "params": {…}, "on_error": "stop"},
           {"id": "<名称>", "type": "use_tool", "name": "<工具>", "params": {…}, "on_error": "retry", "risk": "low"},
           {"id": "<名称>", "type": "request_collaboration", "to": "<智能体>", "params": {"subtask": "<要做什么>",
            "context": "<需要知道什么>", "deadline": 600}, "on_error": "<后面某个步骤的 id>"}]}
params 中的字符串可以包含 ${id.result}，即之前步骤的结果（subtask 中除外）。on_error 为 stop、retry、skip，
或后面某个步骤的 id：仅在失败时由它代替。工具的 risk 为 low、medium 或 high：无法撤销或需要花钱时写 high，运行之前会先问人。最后一个步骤的结果就是任务的结果。
)",
    .actions = "可用的动作：\n",
    .tools = "可用的工具及其参数：\n",
    .colleagues = "可以请求协助的智能体及其能力：\n",
    .outputs = "任务需要产生以下输出：",
    .outputs_rule = "。请用 write_output 写出每个输出；如果只有一个输出，最后一个步骤的结果就是它的内容。\n",
    .outputs_folder = "工具也可以把输出留作文件 outputs/<名称>;输入位于 inputs/<名称>。\n",
    .criteria = "结果按 0 到 100 评分，由最后一个询问模型的步骤给出。评分标准：\n",
};

const RoleWords& RoleWordsOf(Language language) {
  return language == Language::kChinese ? kRoleChinese : kRoleEnglish;
}

void List(std::string_view heading, const std::vector<Offer>& offers, std::string& out) {
  if (offers.empty()) return;
  out += heading;
  for (const Offer& offer : offers) {
    out += "- " + offer.name;
    if (!offer.description.empty()) out += ": " + offer.description;
    out += "\n";
  }
}

// What the plan must lead to.
void TellAims(const RoleRequest& role, RoleTerms terms, const RoleWords& words, std::string& out) {
  if (!role.outputs.empty()) {
    out += words.outputs;
    std::string_view separator;
    for (const std::string& name : role.outputs) {
      out.append(separator).append(name);
      separator = ", ";
    }
    out += words.outputs_rule;
  }
  if (terms.has_folder) out += words.outputs_folder;
  if (role.score_criteria.empty()) return;
  out += words.criteria;
  out += role.score_criteria;
  if (!out.ends_with('\n')) out += '\n';
}

}  // namespace

std::string RoleInstruction(const RoleRequest& role, std::span<const ToolSpec> tools, RoleTerms terms,
                            Language language) {
  const RoleWords& words = RoleWordsOf(language);
  std::string out;
  if (role.stage == Stage::kStrategy) {
    out += words.strategy;
    List(words.sops, role.sops, out);
  } else {
    out += words.plan;
    out += words.form;
    List(words.actions, role.actions, out);
    std::vector<Offer> offered;
    for (const ToolSpec& tool : tools)
      offered.push_back({tool.name, tool.description + " " + tool.input_schema});
    List(words.tools, offered, out);
    List(words.colleagues, role.colleagues, out);
  }
  TellAims(role, terms, words, out);
  if (terms.may_reject) out += PhrasesOf(language).may_reject;
  return out;
}

std::string StepPrompt(std::string_view prompt, const RoleRequest& role, Language language) {
  std::string out(prompt);
  if (!out.ends_with('\n')) out += '\n';
  out += RoleWordsOf(language).step;
  out += role.step;
  return out;
}

}  // namespace agenttalk
