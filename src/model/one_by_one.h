#pragma once
// A model without prefix sharing and without batches: what a program that scores sentence after
// sentence does. Only for comparing; the answers are the same bits.

#include "model/model.h"

namespace minpair {

std::unique_ptr<Model> one_by_one(std::unique_ptr<Model> model);

}  // namespace minpair
