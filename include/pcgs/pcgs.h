// The whole library. An Aggregator (aggregator.h) made by name (registry.h) is all most programs
// need.
#pragma once

#include "pcgs/aggregator.h"
#include "pcgs/certificates.h"
#include "pcgs/controller.h"
#include "pcgs/error.h"
#include "pcgs/expert_change.h"
#include "pcgs/experts.h"
#include "pcgs/intervals.h"
#include "pcgs/loss_scale.h"
#include "pcgs/losses.h"
#include "pcgs/matrix.h"
#include "pcgs/method.h"
#include "pcgs/option.h"
#include "pcgs/oracle.h"
#include "pcgs/quantiles.h"
#include "pcgs/registry.h"
#include "pcgs/round.h"
#include "pcgs/share.h"
#include "pcgs/state.h"
#include "pcgs/trace.h"
