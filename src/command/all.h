#pragma once
// Each command's maker; commands.cpp has their order.

#include <memory>

#include "command/commands.h"

namespace minpair::command {

using Made = std::unique_ptr<Command>;

Made run_command(const Host& host);
Made report_command(const Host& host);
Made stats_command(const Host& host);
Made compare_command(const Host& host);
Made margins_command(const Host& host);
Made regions_command(const Host& host);
Made norms_command(const Host& host);
Made people_command(const Host& host);
Made correlate_command(const Host& host);
Made figure_command(const Host& host);
Made page_command(const Host& host);
Made export_command(const Host& host);
Made curve_command(const Host& host);
Made lens_command(const Host& host);
Made probe_command(const Host& host);
Made attribute_command(const Host& host);
Made patch_command(const Host& host);
Made ablate_command(const Host& host);
Made effects_command(const Host& host);
Made overlap_command(const Host& host);

}  // namespace minpair::command
