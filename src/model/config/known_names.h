#pragma once

#include <algorithm>
#include <array>
#include <string_view>

// The names that a profile may use. A unit test of the runtime compares them with what is registered.
namespace agenttalk {

inline constexpr auto kKnownTools = std::to_array<std::string_view>({
    "create_plan_from_structure",
    "generate_command",
    "get_plan_status",
    "get_plan_structure",
    "get_ready_tasks",
    "get_task",
    "get_tasks_for_role",
    "list_files",
    "read_file",
    "read_skill",
    "run_program",
    "search_files",
    "update_task_status",
    "write_file",
});

// Of thinking commands, tools and what programs may send. Those with ":any" reach other agents' tasks too.
inline constexpr auto kKnownPermissions = std::to_array<std::string_view>({
    "append_task",
    "append_task:any",
    "ask_human",
    "finish_current_task",
    "pass",
    "plan",
    "publish_message",
    "replace_task",
    "replace_task:any",
    "reply_to_human",
    "reset_task",
    "reset_task:any",
    "run_program",
    "send_command",
});

template <std::size_t N>
constexpr bool IsKnownName(const std::array<std::string_view, N>& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

}  // namespace agenttalk
