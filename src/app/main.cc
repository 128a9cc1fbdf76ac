#include <cstdio>

int main() {
  std::puts("agenttalk " AGENTTALK_VERSION);
  return 0;
}
