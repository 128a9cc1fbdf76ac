#pragma once

#include <string>
#include <string_view>

#include "model/reading/object_reader.h"

namespace agenttalk {

// Reads an optional `schema_version` of the form "1.N": another major is SCHEMA_VERSION_UNSUPPORTED, a minor
// above `newest_minor` is tried, with a warning.
void ReadSchemaVersion(ObjectReader& reader, int newest_minor, std::string& version);

}  // namespace agenttalk
