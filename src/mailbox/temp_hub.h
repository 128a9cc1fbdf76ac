#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <ios>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>

// For tests only: a folder on the real disk that acts as a hub, and a stranger's hands in it.
namespace agenttalk {

class TempHub {
 public:
  TempHub() {
    std::string pattern = ::testing::TempDir() + "agenttalk-hub-XXXXXX";
    if (::mkdtemp(pattern.data()) == nullptr) std::abort();
    outer_ = pattern;
    root_ = outer_ + "/hub";
    std::filesystem::create_directory(root_);
  }
  ~TempHub() {
    std::error_code ignored;
    std::filesystem::remove_all(outer_, ignored);
  }
  TempHub(const TempHub&) = delete;
  TempHub& operator=(const TempHub&) = delete;

  [[nodiscard]] const std::string& root() const { return root_; }
  // Beside the hub: what nothing may reach from inside.
  [[nodiscard]] const std::string& outer() const { return outer_; }
  [[nodiscard]] std::string At(const std::string& path) const { return root_ + "/" + path; }

  // As careful strangers do: write beside, then rename.
  void Drop(const std::string& path, std::string_view bytes) const {
    MakeParent(path);
    const std::string temporary = At(path) + ".tmp";
    WriteTo(temporary, bytes);
    std::filesystem::rename(temporary, At(path));
  }
  // As careless ones do: in place.
  void Write(const std::string& path, std::string_view bytes) const {
    MakeParent(path);
    WriteTo(At(path), bytes);
  }
  void MakeParent(const std::string& path) const {
    std::filesystem::create_directories(std::filesystem::path(At(path)).parent_path());
  }
  [[nodiscard]] bool Exists(const std::string& path) const {
    return std::filesystem::exists(std::filesystem::symlink_status(At(path)));
  }
  [[nodiscard]] std::optional<std::string> Contents(const std::string& path) const {
    std::ifstream in(At(path), std::ios::binary);
    if (!in) return std::nullopt;
    return std::string(std::istreambuf_iterator<char>(in), {});
  }
  static void WriteTo(const std::string& path, std::string_view bytes) {
    std::ofstream out(path, std::ios::binary | std::ios::trunc);
    out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  }

 private:
  std::string outer_;
  std::string root_;
};

}  // namespace agenttalk
