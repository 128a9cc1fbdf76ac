#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace agenttalk {

// What a file that people or programs hand to `validate` can be.
enum class DocumentKind : std::uint8_t { kCommand, kDag, kPlan, kProfile, kConfig, kOutput };

inline constexpr std::array kDocumentKinds = {DocumentKind::kCommand, DocumentKind::kDag,
                                              DocumentKind::kPlan,    DocumentKind::kProfile,
                                              DocumentKind::kConfig,  DocumentKind::kOutput};

std::string_view ToString(DocumentKind kind);
std::optional<DocumentKind> ParseDocumentKind(std::string_view text);

// Takes the well-known file names at their word (task_dag.json, cmd_*.json, …); any other file is known by
// its top-level keys, even when the rest of it is broken; what remains is a plan when it is YAML, else a
// command.
DocumentKind GuessKind(std::string_view file_name, std::string_view text);

}  // namespace agenttalk
