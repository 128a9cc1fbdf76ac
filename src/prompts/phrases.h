#pragma once

#include <string_view>

#include "prompts/composer.h"

// The fixed words of a request, in each language. Words that a program reads (the field names of the answer)
// are the same in all of them.
namespace agenttalk {

struct Phrases {
  std::string_view skills;  // heading and introduction of the list of skills
  std::string_view task;    // heading of the command's prompt
  std::string_view rework;  // heading; the round follows
  std::string_view rework_end;
  std::string_view rework_reason;
  std::string_view rework_request;
  std::string_view past;          // heading; the marker follows
  std::string_view past_rule;     // the rest of it
  std::string_view past_earlier;  // the number follows
  std::string_view past_round;    // the number follows
  std::string_view past_gave;     // a file follows
  std::string_view past_input;    // the input that shows it follows
  std::string_view past_not;      // why it did not count
  std::string_view past_person;
  std::string_view past_reviewer;
  std::string_view past_agent;  // before it the agent's id
  std::string_view past_orchestrator;
  std::string_view past_request;
  std::string_view criteria;
  std::string_view inputs;         // heading and the rule that they are data; the marker follows
  std::string_view inputs_rule;    // the rest of it
  std::string_view inputs_folder;  // that tools find them by their paths
  std::string_view at_path;        // a path follows
  std::string_view inputs_plain;   // heading when nothing is inlined
  std::string_view input;          // an input's line: name, size, hash follow
  std::string_view bytes;
  std::string_view binary;  // not shown, because …
  std::string_view too_large;
  std::string_view missing;  // the names follow
  std::string_view missing_rule;
  std::string_view answer;        // heading and introduction of the contract
  std::string_view result_value;  // what stands for values in the form
  std::string_view summary_value;
  std::string_view content_value;
  std::string_view score_value;
  std::string_view explanation_value;
  std::string_view result_becomes;  // the output's name follows
  std::string_view result_becomes_end;
  std::string_view every_output;
  std::string_view outputs_folder;    // that tools may leave outputs
  std::string_view outputs_paths;     // the paths of the declared ones follow
  std::string_view outputs_path_one;  // the path of the only declared one follows
  std::string_view outputs_path_one_end;
  std::string_view outputs_paths_end;  // and how a file of another name is given
  std::string_view executor_outputs;   // heading of an executor's outputs
  std::string_view executor_one;       // the name follows
  std::string_view executor_several;   // names and what stands for contents follow
  std::string_view when;               // an output follows
  std::string_view when_score;         // the scores follow
  std::string_view when_to;
  std::string_view when_or;
  std::string_view when_end;
  std::string_view score_rule;
  std::string_view commands;  // the list follows
  std::string_view tools;     // the list follows
  std::string_view arguments;
  std::string_view repair;  // the list of errors follows
  std::string_view repair_rule;
  std::string_view tool_results;  // the marker follows
  std::string_view tool_result;
  std::string_view tool_failed;
  std::string_view alternatives;  // the list follows
  std::string_view send_back;     // the tasks follow
  std::string_view send_back_form;
  std::string_view may_reject;
  std::string_view may_send;
  std::string_view memory;       // heading; the marker follows
  std::string_view memory_rule;  // the rest of it
  std::string_view forgotten;    // the number follows
  std::string_view news;         // as memory, for what is new
  std::string_view news_request;
};

const Phrases& PhrasesOf(Language language);

}  // namespace agenttalk
