# Builds the CUDA backend twice from the same files: libkiln_cuda.so with nvcc, where there is one,
# and libkiln_cuda_emu.so with the C++ compiler, for the tests.  Neither is needed to build kiln.
option(KILN_CUDA "Build libkiln_cuda.so where nvcc is found" ON)
option(KILN_CUDA_EMULATOR "Build libkiln_cuda_emu.so, which runs kernels on the CPU" ${KILN_TESTS})
set(KILN_CUDA_ARCHITECTURES "75;80;86;90;120" CACHE STRING "What libkiln_cuda.so is compiled for")

file(GLOB cuda_kernels CONFIGURE_DEPENDS cuda/*.cu)
file(GLOB cuda_host CONFIGURE_DEPENDS cuda/*.c)

# kiln_cuda_library(NAME): what both have in common.
function(kiln_cuda_library name)
  add_dependencies(${name} kiln_gen)
  target_link_libraries(${name} PRIVATE kiln)
  target_include_directories(${name} PRIVATE core "${gen_dir}")
  target_compile_definitions(${name} PRIVATE _GNU_SOURCE)
  set_target_properties(${name} PROPERTIES
    LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}"
    C_VISIBILITY_PRESET hidden CXX_VISIBILITY_PRESET hidden
    INSTALL_RPATH "$ORIGIN" BUILD_RPATH "$ORIGIN")
  target_link_options(${name} PRIVATE
    LINKER:-z,nodelete $<$<STREQUAL:${KILN_SANITIZE},>:LINKER:-z,defs>)
endfunction()

if(KILN_CUDA_EMULATOR)
  enable_language(CXX)
  if(CCACHE_EXE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
    set(CMAKE_CXX_COMPILER_LAUNCHER "${CCACHE_EXE}")
  endif()
  set(emulated -std=gnu++17 -fno-exceptions -fno-rtti -Wall -Wextra
    $<$<BOOL:${KILN_WERROR}>:-Werror>)
  # Kernels as nvcc compiles them: integers wrap, types may be looked at as others, and nothing
  # contracts into fused operations.
  set(emulated_kernel -x c++ -fwrapv -fno-strict-aliasing -ffp-contract=off -O2)

  # The emulator itself is never instrumented; it tells the sanitizers what it does.
  file(GLOB emulator CONFIGURE_DEPENDS cuda/emu/*.cc)
  add_library(kiln_emu OBJECT ${emulator})
  target_compile_options(kiln_emu PRIVATE ${emulated} -O2 -g)
  target_compile_definitions(kiln_emu PRIVATE _GNU_SOURCE
    $<$<STREQUAL:${KILN_SANITIZE},address>:KILN_EMU_ASAN>
    $<$<STREQUAL:${KILN_SANITIZE},thread>:KILN_EMU_TSAN>)
  set_target_properties(kiln_emu PROPERTIES
    POSITION_INDEPENDENT_CODE ON CXX_VISIBILITY_PRESET hidden)

  set_source_files_properties(${cuda_kernels} PROPERTIES LANGUAGE CXX)
  add_library(kiln_cuda_emu SHARED ${cuda_kernels} ${cuda_host} $<TARGET_OBJECTS:kiln_emu>)
  kiln_cuda_library(kiln_cuda_emu)
  target_compile_definitions(kiln_cuda_emu PRIVATE KILN_EMULATED)
  target_compile_options(kiln_cuda_emu PRIVATE
    $<$<COMPILE_LANGUAGE:C>:-std=gnu17 -Wall -Wextra -O2>
    $<$<AND:$<COMPILE_LANGUAGE:C>,$<BOOL:${KILN_WERROR}>>:-Werror>
    $<$<COMPILE_LANGUAGE:CXX>:${emulated} ${emulated_kernel}>)
  if(KILN_SANITIZE)
    target_compile_options(kiln_cuda_emu PRIVATE ${sanitize} -fno-omit-frame-pointer)
    target_link_options(kiln_cuda_emu PRIVATE ${sanitize})
  endif()
  target_link_libraries(kiln_cuda_emu PRIVATE Threads::Threads ${OPENBLAS_LIBRARY} m)
endif()
