#include <cstdio>
#include <vector>

#include "cli/command_line.h"
#include "cli/console.h"
#include "cli/verb.h"
#include "cli/verbs.h"

int main(int argc, char** argv) {
  const std::vector<agenttalk::Verb> verbs = {agenttalk::InitVerb(), agenttalk::ValidateVerb(),
                                              agenttalk::CommandNewVerb()};
  agenttalk::Console console(stdout, stderr);
  return static_cast<int>(agenttalk::RunCommandLine({argv + 1, argv + argc}, verbs, console));
}
