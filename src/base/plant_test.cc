#include "base/plant.h"

#include <gtest/gtest.h>

namespace agenttalk {
namespace {

TEST(Plant, ListNamesWholeWordsOnly) {
  EXPECT_TRUE(PlantListNames("no_fsync", "no_fsync"));
  EXPECT_TRUE(PlantListNames("early_ack,no_fsync", "no_fsync"));
  EXPECT_TRUE(PlantListNames("no_fsync,early_ack", "no_fsync"));
  EXPECT_FALSE(PlantListNames("no_fsyncs", "no_fsync"));
  EXPECT_FALSE(PlantListNames("", "no_fsync"));
}

#ifndef AGENTTALK_FAULT_SWITCHES
static_assert(!Planted("no_fsync"), "an ordinary build has no seeded bugs");
#endif

}  // namespace
}  // namespace agenttalk
