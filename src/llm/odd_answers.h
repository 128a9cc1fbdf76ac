#pragma once

#include <fmt/format.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "llm/test_server.h"

// For tests: the same answer as each vendor writes it, and every odd way in which a server can give it.
namespace agenttalk {

inline constexpr std::string_view kText = "Grüße 中文 😀";

enum class Vendor : std::uint8_t { kAnthropic, kOpenai, kOllama, kResponses };

inline constexpr std::array kVendors = {Vendor::kAnthropic, Vendor::kOpenai, Vendor::kOllama,
                                        Vendor::kResponses};

inline std::string WholeBody(Vendor vendor) {
  const std::string text(kText);
  switch (vendor) {
    case Vendor::kAnthropic:
      return R"({"id":"r","type":"message","model":"m","content":[{"type":"text","text":")" + text +
             R"("}],"stop_reason":"end_turn","usage":{"input_tokens":5,"output_tokens":7}})";
    case Vendor::kOpenai:
      return R"({"id":"r","model":"m","choices":[{"index":0,"message":{"role":"assistant","content":")" +
             text + R"("},"finish_reason":"stop"}],"usage":{"prompt_tokens":5,"completion_tokens":7}})";
    case Vendor::kResponses:
      return R"({"id":"r","model":"m","status":"completed","error":null,"incomplete_details":null,"output":[{"type":"reasoning","summary":[]},{"type":"message","content":[{"type":"output_text","text":")" +
             text + R"("}]}],"usage":{"input_tokens":5,"output_tokens":7}})";
    case Vendor::kOllama:
      break;
  }
  return R"({"model":"m","message":{"role":"assistant","content":")" + text +
         R"("},"done":true,"done_reason":"stop","prompt_eval_count":5,"eval_count":7})";
}

// The events of a stream, without their ends.
inline std::vector<std::string> StreamPieces(Vendor vendor) {
  const std::string text(kText);
  switch (vendor) {
    case Vendor::kAnthropic:
      return {
          "event: message_start\n"
          R"(data: {"type":"message_start","message":{"id":"r","model":"m","usage":{"input_tokens":5,"output_tokens":1}}})",
          "event: content_block_start\n"
          R"(data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}})",
          "event: content_block_delta\n"
          R"(data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":")" +
              text + R"("}})",
          "event: content_block_stop\n"
          R"(data: {"type":"content_block_stop","index":0})",
          "event: message_delta\n"
          R"(data: {"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":7}})",
          "event: message_stop\ndata: {\"type\":\"message_stop\"}"};
    case Vendor::kOpenai:
      return {
          R"(data: {"id":"r","model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":""}}]})",
          R"(data: {"id":"r","choices":[{"index":0,"delta":{"content":")" + text + R"("}}]})",
          R"(data: {"id":"r","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]})",
          R"(data: {"id":"r","choices":[],"usage":{"prompt_tokens":5,"completion_tokens":7}})",
          "data: [DONE]"};
    case Vendor::kResponses:
      return {
          "event: response.created\n"
          R"(data: {"type":"response.created","response":{"id":"r","status":"in_progress","output":[]}})",
          "event: response.output_item.added\n"
          R"(data: {"type":"response.output_item.added","output_index":0,"item":{"type":"message","content":[]}})",
          "event: response.output_text.delta\n"
          R"(data: {"type":"response.output_text.delta","output_index":0,"delta":")" +
              text + R"("})",
          "event: response.completed\n"
          R"(data: {"type":"response.completed","response":{"id":"r","model":"m","status":"completed","output":[{"type":"message","content":[{"type":"output_text","text":"again"}]}],"usage":{"input_tokens":5,"output_tokens":7}}})"};
    case Vendor::kOllama:
      break;
  }
  return {
      R"({"model":"m","message":{"role":"assistant","content":")" + text + R"("},"done":false})",
      R"({"model":"m","message":{"content":""},"done":true,"done_reason":"stop","prompt_eval_count":5,"eval_count":7})"};
}

inline std::string Replaced(std::string text, std::string_view what, std::string_view with) {
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + with.size())) {
    text.replace(at, what.size(), with);
  }
  return text;
}

inline std::string StreamBody(Vendor vendor, std::string_view line_end = "\n", bool comments = false) {
  std::string body;
  for (const std::string& piece : StreamPieces(vendor)) {
    if (comments) body += vendor == Vendor::kOllama ? "\n" : ": keep-alive\n\n";
    body += piece + (vendor == Vendor::kOllama ? "\n" : "\n\n");
  }
  return Replaced(std::move(body), "\n", line_end);
}

// The last character as the escapes of its two halves, the second of which comes with the next piece.
inline std::string HalvedBody(Vendor vendor, bool stream) {
  constexpr std::string_view kEmoji = "😀";
  if (!stream) return Replaced(WholeBody(vendor), kEmoji, R"(\ud83d\ude00)");
  std::string body;
  for (const std::string& piece : StreamPieces(vendor)) {
    const std::string end = vendor == Vendor::kOllama ? "\n" : "\n\n";
    if (piece.find(kEmoji) == std::string::npos) {
      body += piece + end;
    } else {
      body += Replaced(piece, kEmoji, R"(\ud83d)") + end;
      body += Replaced(piece, kText, R"(\ude00)") + end;
    }
  }
  return body;
}

inline std::string TypeOf(Vendor vendor, bool stream) {
  if (!stream) return "application/json";
  return vendor == Vendor::kOllama ? "application/x-ndjson" : "text/event-stream";
}

inline std::string Head(const std::string& status, const std::string& type, const std::string& more) {
  return "HTTP/1.1 " + status + "\r\nContent-Type: " + type + "\r\n" + more + "\r\n";
}

inline Act Write(std::string bytes) {
  return {Act::Kind::kWrite, std::move(bytes), {}};
}

inline std::string Chunked(std::string_view body, std::size_t size) {
  std::string out;
  for (std::size_t at = 0; at < body.size(); at += size) {
    const std::string_view piece = body.substr(at, size);
    out += fmt::format("{:x}\r\n{}\r\n", piece.size(), piece);
  }
  return out;
}

inline std::vector<Act> Complete(const std::string& status, const std::string& type, const std::string& body,
                                 const std::string& more = {}) {
  return {Write(Head(status, type, more + fmt::format("Content-Length: {}\r\n", body.size())) + body)};
}

// How the server behaves, named by the first part of the path.
class AnswerModes {
 public:
  explicit AnswerModes(const SeenRequest& request)
      : vendor_(request.target.ends_with("/v1/messages")        ? Vendor::kAnthropic
                : request.target.ends_with("/chat/completions") ? Vendor::kOpenai
                : request.target.ends_with("/responses")        ? Vendor::kResponses
                                                                : Vendor::kOllama),
        stream_(request.body.find(R"("stream":true)") != std::string::npos),
        type_(TypeOf(vendor_, stream_)),
        body_(stream_ ? StreamBody(vendor_) : WholeBody(vendor_)) {}

  [[nodiscard]] std::vector<Act> Answer(const std::string& mode) const {
    if (mode == "normal") return Complete("200 OK", type_, body_);
    if (mode == "type") return Complete("200 OK", "text/plain; charset=latin1", body_);
    if (mode == "html") return Complete("200 OK", "text/html", "<!DOCTYPE html><html>Welcome</html>");
    if (mode == "halves") return Complete("200 OK", type_, HalvedBody(vendor_, stream_));
    if (mode == "half") return Complete("200 OK", type_, Replaced(body_, "😀", R"(\uD83D)"));
    if (mode == "truncated") return Complete("200 OK", type_, body_.substr(0, body_.size() * 2 / 3));
    if (mode == "redirect")
      return Complete("302 Found", "text/html", "moved", "Location: /normal/stolen\r\n");
    if (mode == "crlf")
      return Complete("200 OK", type_, stream_ ? StreamBody(vendor_, "\r\n") : body_ + "\r\n");
    if (mode == "comments") {
      return Complete("200 OK", type_, stream_ ? StreamBody(vendor_, "\n", true) : "\n\n" + body_ + "\n");
    }
    if (const auto status = kStatuses.find(mode); status != kStatuses.end()) {
      return Complete(status->second.first, "application/json",
                      R"({"error":{"message":"told","type":"some_error"}})", status->second.second);
    }
    return AnswerOddly(mode);
  }

 private:
  [[nodiscard]] std::vector<Act> AnswerOddly(const std::string& mode) const {
    const std::string open = Head("200 OK", type_, fmt::format("Content-Length: {}\r\n", body_.size()));
    const std::string chunked = Head("200 OK", type_, "Transfer-Encoding: chunked\r\n");
    const std::string half = body_.substr(0, body_.size() / 2);
    if (mode == "chunks") return {Write(chunked + Chunked(body_, 3) + "0\r\n\r\n")};
    if (mode == "stall") return {Write(open + half), {Act::Kind::kHang, {}, {}}};
    if (mode == "silent") return {{Act::Kind::kHang, {}, {}}};
    if (mode == "cut") return {Write(chunked + Chunked(half, 100)), {Act::Kind::kReset, {}, {}}};
    if (mode == "reset_before") return {{Act::Kind::kReset, {}, {}}};
    if (mode == "reset_after")
      return {
          Write(open), {Act::Kind::kPause, {}, std::chrono::milliseconds(2)}, {Act::Kind::kReset, {}, {}}};
    std::vector<Act> acts = {Write(chunked)};
    if (mode == "drip") {
      for (const char byte : body_) {
        acts.push_back(Write(Chunked({&byte, 1}, 1)));
        acts.push_back({Act::Kind::kPause, {}, std::chrono::microseconds(20)});
      }
    }
    if (mode == "huge") {
      const std::string filler(1 << 20U, 'x');
      const std::string first = body_.substr(0, body_.find("Gr"));
      acts.push_back(Write(Chunked(first, 1000)));
      for (int i = 0; i < 50; ++i) acts.push_back(Write(Chunked(filler, filler.size())));
    }
    acts.push_back(Write("0\r\n\r\n"));
    return acts;
  }

  static inline const std::map<std::string, std::pair<std::string, std::string>> kStatuses = {
      {"400", {"400 Bad Request", ""}},
      {"401", {"401 Unauthorized", ""}},
      {"403", {"403 Forbidden", ""}},
      {"404", {"404 Not Found", ""}},
      {"408", {"408 Request Timeout", ""}},
      {"413", {"413 Payload Too Large", ""}},
      {"429", {"429 Too Many Requests", ""}},
      {"429_after", {"429 Too Many Requests", "Retry-After: 2\r\n"}},
      {"500", {"500 Internal Server Error", ""}},
      {"503", {"503 Service Unavailable", ""}},
      {"529", {"529 Overloaded", ""}}};

  const Vendor vendor_;
  const bool stream_;
  const std::string type_;
  const std::string body_;
};

inline std::vector<Act> AnswerByMode(const SeenRequest& request) {
  return AnswerModes(request).Answer(request.target.substr(1, request.target.find('/', 1) - 1));
}

}  // namespace agenttalk
