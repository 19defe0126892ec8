#pragma once

namespace pcgs::train {

// Freed memory stays with the program. A step on the CPU asks for hundreds of megabytes and gives them
// back; by default each time the system takes them and clears them again, which takes longer than the
// step itself.
void keep_freed_memory();

}  // namespace pcgs::train
