#pragma once
// A model without prefix sharing and without batches: what a program that scores sentence after
// sentence does. Only for comparing; the answers are the same bits.

#include "model/model.h"

namespace minpair::model {

std::unique_ptr<query::Model> one_by_one(std::shared_ptr<query::Model> model);

}  // namespace minpair::model
