# Writes into HEADER which commit of SOURCE is built, only where that changed, so that nothing is compiled
# again for it: cmake -DSOURCE=... -DHEADER=... -P commit.cmake. A source distribution brings it in a file.
set(commit "")
if(EXISTS ${SOURCE}/COMMIT)
  file(STRINGS ${SOURCE}/COMMIT commit LIMIT_COUNT 1)
else()
  execute_process(
    COMMAND git describe --always --dirty --abbrev=12 --exclude=*
    WORKING_DIRECTORY ${SOURCE} OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
endif()
if(commit STREQUAL "")
  set(commit "unknown")
endif()
set(text "#pragma once\n\n#define PCGS_COMMIT \"${commit}\"\n")
set(before "")
if(EXISTS ${HEADER})
  file(READ ${HEADER} before)
endif()
if(NOT text STREQUAL before)
  file(WRITE ${HEADER} "${text}")
endif()
