#pragma once

#include <boost/json/fwd.hpp>

#include "api/hub_service.h"
#include "runtime/hub.h"

// Plans that have ended: removed, put away as archives, and taken in again.
namespace agenttalk {

// `plans` or `older_than`, `export`, `dry_run`.
void RequestGarbageCollection(Hub& hub, const boost::json::object& parameters, HubService::Done done);
// `plan_id`, `file`.
void RequestArchive(Hub& hub, const boost::json::object& parameters, HubService::Done done);
// `file`.
void RequestImport(Hub& hub, const boost::json::object& parameters, HubService::Done done);
// The same for a server: the archive is checked by another process first, beside the loop.
void RequestImportBeside(Hub& hub, const boost::json::object& parameters, HubService::Done done);

}  // namespace agenttalk
