# What must run on other machines is linked with the C library in PCGS_SYSROOT (scripts/sysroot) instead of this
# machine's newer one, with the C++ library inside.
if(PCGS_SYSROOT)
  enable_language(C)
  add_library(pcgs_glibc OBJECT ${PROJECT_SOURCE_DIR}/cmake/glibc_2_28.c)
  set_target_properties(pcgs_glibc PROPERTIES POSITION_INDEPENDENT_CODE ON)
endif()

function(pcgs_make_portable target)
  set(libraries ${PCGS_SYSROOT}/usr/lib/x86_64-linux-gnu)
  target_sources(${target} PRIVATE $<TARGET_OBJECTS:pcgs_glibc>)
  target_link_options(${target} PRIVATE
    --sysroot=${PCGS_SYSROOT} -B${libraries} -L${libraries} -L${PCGS_SYSROOT}/lib/x86_64-linux-gnu
    -static-libstdc++ -pthread
    LINKER:--wrap=exp LINKER:--wrap=exp2 LINKER:--wrap=log LINKER:--wrap=log2 LINKER:--wrap=pow
    LINKER:--exclude-libs,ALL)
endfunction()
