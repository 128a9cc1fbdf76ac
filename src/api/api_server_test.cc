#include "api/api_server.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <atomic>
#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>
#include <boost/json.hpp>
#include <filesystem>
#include <fstream>
#include <functional>
#include <ios>
#include <memory>
#include <string>
#include <string_view>
#include <thread>

#include "api/hub_client.h"
#include "api/socket_address.h"
#include "base/error.h"
#include "base/error_code.h"
#include "mailbox/temp_hub.h"
#include "runtime/hub.h"
#include "runtime/hub_home.h"

// The socket of a running hub, with clients that behave and clients that do not.
namespace agenttalk {
namespace {

namespace json = boost::json;
namespace http = boost::beast::http;
using boost::asio::local::stream_protocol;

// A connection that stays open as long as the server lets it.
class Connection {
 public:
  explicit Connection(const std::filesystem::path& hub) : socket_(context_) {
    const auto address = SocketAddress::For(SocketOf(hub));
    socket_.connect(stream_protocol::endpoint(address->path()));
  }
  void Send(std::string_view bytes) { boost::asio::write(socket_, boost::asio::buffer(bytes)); }
  http::response<http::string_body> Read() {
    http::response<http::string_body> response;
    http::read(socket_, buffer_, response);
    return response;
  }
  http::response<http::string_body> Ask(http::verb verb, const std::string& target, const std::string& body) {
    http::request<http::string_body> request(verb, target, 11);
    request.set(http::field::host, "hub");
    request.body() = body;
    request.prepare_payload();
    http::write(socket_, request);
    return Read();
  }

 private:
  boost::asio::io_context context_;
  stream_protocol::socket socket_;
  boost::beast::flat_buffer buffer_;
};

std::string CodeIn(const http::response<http::string_body>& response) {
  return std::string(json::parse(response.body()).at("error").at("code").as_string());
}

class ApiServerTest : public testing::Test {
 protected:
  // Serves the hub until the client has done what it wants.
  void WithServer(const std::filesystem::path& directory,
                  const std::function<void(const std::filesystem::path&)>& client) {
    std::filesystem::create_directories(directory);
    Write(directory / "agenttalk.yaml",
          "version: 1\nprovider: offline\nproviders: {offline: {kind: scripted, answers: answers.yaml}}\n"
          "agents: {ann: {prompt: You are Ann.}}\nlimits: {max_input_bytes: 1024}\n");
    Write(directory / "answers.yaml", "- answer: {result: done}\n");
    auto hub = Hub::Open(directory, {});
    ASSERT_TRUE(hub.has_value()) << hub.error().message;
    const auto server = ApiServer::Open(**hub);
    ASSERT_TRUE(server.has_value()) << server.error().message;
    std::atomic<bool> done = false;
    std::thread thread([&] {
      client(directory);
      done = true;
      (*hub)->Wake();
    });
    EXPECT_TRUE((*hub)->ServeUntil([&] { return done.load(); }).has_value());
    thread.join();
  }
  static void Write(const std::filesystem::path& path, std::string_view text) {
    std::ofstream(path, std::ios::binary) << text;
  }

  TempHub files_;
};

TEST_F(ApiServerTest, OneConnectionServesManyRequests) {
  WithServer(files_.root(), [](const auto& hub) {
    Connection connection(hub);
    for (int i = 0; i < 3; ++i) {
      const auto response = connection.Ask(http::verb::post, "/v1/plans", "{}");
      EXPECT_EQ(response.result(), http::status::ok);
      EXPECT_EQ(response.body(), "[]");
      EXPECT_EQ(response[http::field::content_type], "application/json");
    }
    EXPECT_EQ(connection.Ask(http::verb::post, "/v1/agents", "").result(), http::status::ok)
        << "no parameters need no body";
  });
}

TEST_F(ApiServerTest, WhatIsWrongIsSaidWithAStatusAndACode) {
  WithServer(files_.root(), [](const auto& hub) {
    struct Wrong {
      http::verb verb;
      const char* target;
      const char* body;
      http::status status;
      const char* code;
    };
    for (const Wrong& wrong :
         {Wrong{http::verb::get, "/v1/plans", "", http::status::not_found, "NOT_FOUND"},
          Wrong{http::verb::post, "/plans", "{}", http::status::not_found, "NOT_FOUND"},
          Wrong{http::verb::post, "/v1/explode", "{}", http::status::not_found, "NOT_FOUND"},
          Wrong{http::verb::post, "/v1/status", "{", http::status::bad_request, "JSON_INVALID"},
          Wrong{http::verb::post, "/v1/status", "[]", http::status::bad_request, "JSON_INVALID"},
          Wrong{http::verb::post, "/v1/status", "{}", http::status::bad_request, "FIELD_MISSING"},
          Wrong{http::verb::post, "/v1/status", R"({"plan_id":"plan_z"})", http::status::not_found,
                "PLAN_UNKNOWN"}}) {
      const auto response = Connection(hub).Ask(wrong.verb, wrong.target, wrong.body);
      EXPECT_EQ(response.result(), wrong.status) << wrong.target << wrong.body;
      EXPECT_EQ(CodeIn(response), wrong.code) << wrong.target << wrong.body;
    }
  });
}

TEST_F(ApiServerTest, ARequestThatIsTooLargeIsRefusedAndTheNextOneServed) {
  WithServer(files_.root(), [](const auto& hub) {
    Connection large(hub);
    large.Send("POST /v1/send HTTP/1.1\r\nHost: hub\r\nContent-Length: 99999999\r\n\r\n{");
    EXPECT_EQ(CodeIn(large.Read()), "TOO_LARGE");
    EXPECT_EQ(Connection(hub).Ask(http::verb::post, "/v1/plans", "{}").result(), http::status::ok);
  });
}

TEST_F(ApiServerTest, AClientThatTalksNonsenseOrGoesAwayHarmsNobody) {
  WithServer(files_.root(), [](const auto& hub) {
    {
      Connection(hub).Send("\r\n\0\xff what is this\r\n\r\n");
    }
    {
      Connection(hub).Send("POST /v1/status HTTP/1.1\r\nContent-Length: 100\r\n\r\n{\"plan");
    }
    EXPECT_EQ(Connection(hub).Ask(http::verb::post, "/v1/plans", "{}").result(), http::status::ok);
  });
}

TEST_F(ApiServerTest, OnlyTheOwnerMayConnect) {
  WithServer(files_.root(), [](const auto& hub) {
    struct stat info{};
    ASSERT_EQ(::stat(SocketOf(hub).c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 0777, 0600U);
  });
  EXPECT_FALSE(std::filesystem::exists(SocketOf(files_.root()))) << "gone with the server";
}

TEST_F(ApiServerTest, APathThatIsTooLongForASocketIsReachedAllTheSame) {
  const std::filesystem::path deep =
      std::filesystem::path(files_.root()) / std::string(90, 'a') / std::string(90, 'b');
  WithServer(deep, [](const auto& hub) {
    HubClient client(hub);
    const auto plans = client.Call("plans", {});
    ASSERT_TRUE(plans.has_value()) << plans.error().message;
    EXPECT_TRUE(plans->as_array().empty());
  });
}

TEST_F(ApiServerTest, AClientGetsTheServersErrorsAsItsOwn) {
  WithServer(files_.root(), [](const auto& hub) {
    HubClient client(hub);
    const auto status = client.Call("status", {{"plan_id", "plan_z"}});
    ASSERT_FALSE(status.has_value());
    EXPECT_EQ(status.error().code, ErrorCode::kPlanUnknown);
    EXPECT_FALSE(status.error().hint.empty());
  });
}

}  // namespace
}  // namespace agenttalk
