#pragma once
// Models that are stages of one training, told by their names: NAME@step1000, NAME/checkpoint-500,
// NAME@chck_10M. Private to the room.

#include <map>
#include <string>
#include <vector>

#include "report/rows.h"

namespace minpair::report {

struct Stage {
  size_t model = 0;  // its place among the names
  double step = 0;   // infinite: the finished model, which has no number
  std::string said;  // "1000", "10M", "final"
};

struct Training {
  std::string title;
  std::vector<Stage> stages;  // in their order, two or more
};

std::vector<Training> trainings_among(const std::vector<std::string>& models);

struct StageOf {
  std::string training;
  double step = 0;
  double at = 0;  // on an axis from 0 to 1 that has all of them
  std::string said;
};
// By the labels of the models; those that are no checkpoints have none.
std::map<std::string, StageOf> stages_of(const std::vector<NamedRun>& runs);

// "checkpoint-500", which says nothing without what it is a checkpoint of.
bool is_only_a_step(const std::string& name);

// Where `steps` stand on an axis from 0 to 1. By their logarithms where they span much.
std::vector<double> step_positions(const std::vector<double>& steps);

}  // namespace minpair::report
