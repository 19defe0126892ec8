# Every test is fast, a minute at most and a second as a rule, or slow, twenty minutes at most, and is named here:
# what took more than ten seconds of two busy cores. `ctest -L fast` leaves these out.
set(PCGS_SLOW
  cli.run_pieces cli.suite contract.extremes contract.forecast_contract contract.hostile faults.calls faults.kills faults.memory
  faults.mutations python.documentation python.tests report.pages_in_a_browser research.tournament
  train.program verify.agrees_with_a_second_checker worker.kafka_worker
  CACHE INTERNAL "")

# Labels those tests of the current folder fast or slow that have no budget yet. They keep their other labels.
function(pcgs_budget_tests)
  set(fast 60)
  if(CMAKE_CXX_FLAGS MATCHES "-fsanitize")
    set(fast 600)
  endif()
  get_property(tests DIRECTORY PROPERTY TESTS)
  foreach(test ${tests})
    get_test_property(${test} TIMEOUT budget)
    if(budget)
      continue()
    endif()
    if(test IN_LIST PCGS_SLOW)
      set_property(TEST ${test} APPEND PROPERTY LABELS slow)
      set_tests_properties(${test} PROPERTIES TIMEOUT 1200)
    else()
      set_property(TEST ${test} APPEND PROPERTY LABELS fast)
      set_tests_properties(${test} PROPERTIES TIMEOUT ${fast})
    endif()
  endforeach()
endfunction()
