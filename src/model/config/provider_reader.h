#pragma once

#include <string>
#include <string_view>

#include "base/time.h"
#include "model/config/hub_config.h"
#include "model/config/preset_table.h"
#include "model/reading/object_reader.h"

namespace agenttalk {

// The settings of a provider, those of its preset included. What is not known is an error: a setting that has
// no effect is worse than none.
void ReadProvider(ObjectReader& reader, const PresetTable& presets, ProviderConfig& provider);

// A path below the hub, or one that a person wrote on purpose from the root; never one that climbs out.
void ReadPath(ObjectReader& reader, std::string_view key, std::string& path);

// More than nothing, at most ten years.
void ReadPositivePeriod(ObjectReader& reader, std::string_view key, Duration& period);

}  // namespace agenttalk
