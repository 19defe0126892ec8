# cpack -G DEB: the program, the library and its headers as a Debian package that names the packages it needs.
# What is installed is built by make before; tests need not be.
set(CMAKE_SKIP_INSTALL_ALL_DEPENDENCY ON)
set(CPACK_PACKAGE_VENDOR "pcgs")
set(CPACK_PACKAGE_CONTACT "the pcgs project <pcgs@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_PACKAGE_DESCRIPTION
  "pcgs combines the forecasts of several models into one, round after round, and follows whichever models are good at present. The program, the service and a C++20 library.")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL Unspecified)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# What programs that link with the library need beside it.
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "libhwy-dev, libfmt-dev, g++, cmake")
include(CPack)
