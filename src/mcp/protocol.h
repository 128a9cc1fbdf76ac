#pragma once

#include <string_view>

// Words and numbers of the Model Context Protocol, for our client and our server alike.
namespace agenttalk::mcp {

// The two revisions that are spoken. The modern one is stateless: every request carries its version and the
// client's capabilities in `params._meta`. The legacy one begins with `initialize`.
inline constexpr std::string_view kModernRevision = "2026-07-28";
inline constexpr std::string_view kLegacyRevision = "2025-11-25";

// Keys of `_meta`.
inline constexpr std::string_view kMetaProtocolVersion = "io.modelcontextprotocol/protocolVersion";
inline constexpr std::string_view kMetaClientInfo = "io.modelcontextprotocol/clientInfo";
inline constexpr std::string_view kMetaClientCapabilities = "io.modelcontextprotocol/clientCapabilities";
inline constexpr std::string_view kMetaServerInfo = "io.modelcontextprotocol/serverInfo";
inline constexpr std::string_view kMetaSubscriptionId = "io.modelcontextprotocol/subscriptionId";
inline constexpr std::string_view kMetaProgressToken = "progressToken";

// Methods of both sides.
inline constexpr std::string_view kInitialize = "initialize";
inline constexpr std::string_view kInitialized = "notifications/initialized";
inline constexpr std::string_view kPing = "ping";
inline constexpr std::string_view kDiscover = "server/discover";
inline constexpr std::string_view kToolsList = "tools/list";
inline constexpr std::string_view kToolsCall = "tools/call";
inline constexpr std::string_view kToolsChanged = "notifications/tools/list_changed";
inline constexpr std::string_view kResourcesList = "resources/list";
inline constexpr std::string_view kResourceTemplatesList = "resources/templates/list";
inline constexpr std::string_view kResourcesRead = "resources/read";
inline constexpr std::string_view kSubscriptionsListen = "subscriptions/listen";
inline constexpr std::string_view kSubscriptionsAcknowledged = "notifications/subscriptions/acknowledged";
inline constexpr std::string_view kElicitationCreate = "elicitation/create";
inline constexpr std::string_view kProgress = "notifications/progress";
inline constexpr std::string_view kCancelled = "notifications/cancelled";
inline constexpr std::string_view kMessage = "notifications/message";

// Codes of errors.
inline constexpr int kParseError = -32700;
inline constexpr int kInvalidRequest = -32600;
inline constexpr int kMethodNotFound = -32601;
inline constexpr int kInvalidParams = -32602;
inline constexpr int kInternalError = -32603;
inline constexpr int kResourceNotFound = -32002;  // legacy only; modern: kInvalidParams
inline constexpr int kHeaderMismatch = -32020;
inline constexpr int kMissingClientCapability = -32021;
inline constexpr int kUnsupportedVersion = -32022;

}  // namespace agenttalk::mcp
