#pragma once
// Standard output and standard error of a command.

namespace minpair::inline base {

// First of all in main(). What is printed goes to a terminal sooner or later, so nothing in it that
// a terminal would obey leaves the program, but the few sequences that the program itself uses.
// A message that cannot be written (a log on a full disk, a closed stream)
// is lost, and nothing else is: the work continues. No file that is opened later can take the place
// of a closed stream. A file that grows too large is an error, not the end of the process; and
// memory that runs out where nothing can be thrown (in a destructor) ends it with a message.
void guard_standard_streams();

// Last of all. Throws when anything that was printed is lost.
void finish_standard_output();

}  // namespace minpair::inline base
