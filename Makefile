# The front door. `make run` and `make test` need nothing but git, make and a machine with Debian 12
# or 13; everything else is installed (see setup).

JOBS ?= $(shell nproc)
# Whether a warning stops the build. ON in CI; a user's compiler may know more warnings than ours.
WERROR ?= OFF
CONFIGURE = cmake --preset release -DPCGS_WERROR=$(WERROR) --log-level=WARNING > /dev/null
SOURCES = $(shell git ls-files '*.h' '*.cc')

.PHONY: run test core front-door build setup bench format format-check tidy sanitize threads fuzz mutations kills coverage mutants picture train train-test results bounding real attention specialists combine hubs serve-load serve-scale peers clean

run: build  ## build, then combine the sample of forecasts and play the main study; ends with two pages
	build/release/pcgs run examples/load.csv --y load --time ds --block 24 \
	  --report build/forecasts.html
	@echo
	build/release/pcgs suite --study main --brief --report build/report.html
	@echo '* rates chosen in hindsight for each family, ** for each sequence: nobody can play these;'
	@echo 'bayes: the exact filter of the law that made the losses. The page has the other tables.'
	@echo
	@echo 'To look at: build/forecasts.html (the sample of forecasts), build/report.html (the study)'

test: setup configure  ## build and run all tests
	cmake --build --preset release -j $(JOBS)
	ctest --preset release -j $(JOBS)

core: core-packages  ## the library and the fast tests of its rooms: two minutes, and no package of the service, the pages or Python
	@cmake --preset core -DPCGS_WERROR=$(WERROR) --log-level=WARNING --no-warn-unused-cli > /dev/null
	cmake --build --preset core -j $(JOBS)
	ctest --preset core -j $(JOBS)

SUITES = trixie
TARGETS = run
front-door:  ## make run in a bare Debian, in build/front-door; as root; SUITES='bookworm trixie' TARGETS='run test' for more
	@scripts/install-packages debootstrap
	@for suite in $(SUITES); do scripts/front-door $$suite $(TARGETS) || exit 1; done

build: configure  ## leave the program at build/release/pcgs
	cmake --build --preset release -j $(JOBS) --target pcgs-program

.PHONY: configure
configure: packages
	@$(CONFIGURE)

setup: packages  ## install what building and testing need, if anything is missing
	@scripts/install-packages chromium

CORE_PACKAGES = build-essential cmake ninja-build libhwy-dev libfmt-dev libboost-dev zlib1g-dev nlohmann-json3-dev libgtest-dev
.PHONY: packages core-packages
core-packages:
	@scripts/install-packages $(CORE_PACKAGES)

packages:
	@scripts/install-packages $(CORE_PACKAGES) pybind11-dev python3-dev python3-numpy python3-pytest \
	  libcli11-dev libbenchmark-dev \
	  pkgconf librocksdb-dev prometheus-cpp-dev librdkafka-dev
	@command -v npm > /dev/null || scripts/install-packages nodejs npm

bench: configure  ## check, then time the hot paths; medians with their spread
	cmake --build --preset release -j $(JOBS) --target pcgs_bench
	build/release/bench/pcgs_bench --benchmark_repetitions=9 \
	  --benchmark_enable_random_interleaving=true --benchmark_report_aggregates_only=true
	@if cmake --build --preset release --target help | grep -q pcgs_torch_bench; then \
	  cmake --build --preset release -j $(JOBS) --target pcgs_torch_bench && \
	  build/release/bench/pcgs_torch_bench; fi

format:  ## rewrite all sources in the project's format
	@scripts/install-packages clang-format
	clang-format -i $(SOURCES)

format-check:
	@scripts/install-packages clang-format
	@test -n "$(SOURCES)" || { echo "git lists no sources to check"; exit 1; }
	clang-format --dry-run -Werror $(SOURCES)

tidy: packages  ## clang-tidy over the library and the program; SINCE=commit for what changed since then alone
	@scripts/install-packages clang clang-tidy
	cmake --preset tidy --log-level=WARNING --no-warn-unused-cli > /dev/null
	scripts/tidy build/tidy $(JOBS) $(SINCE)

sanitize: packages  ## what handles bytes and pointers, under the address and undefined-behaviour sanitizers
	@scripts/install-packages clang libclang-rt-dev
	cmake --preset asan-ubsan --log-level=WARNING
	cmake --build --preset asan-ubsan -j $(JOBS)
	ctest --preset asan-ubsan -j $(JOBS)

threads: packages  ## what has threads, under the thread sanitizer
	@scripts/install-packages clang libclang-rt-dev
	cmake --preset tsan --log-level=WARNING
	cmake --build --preset tsan -j $(JOBS)
	ctest --preset tsan -j $(JOBS)

FUZZ_SECONDS ?= 20
fuzz: packages  ## each reader of untrusted bytes, for FUZZ_SECONDS
	@scripts/install-packages clang libclang-rt-dev
	cmake --preset asan-ubsan --log-level=WARNING
	cmake --build --preset asan-ubsan -j $(JOBS) --target pcgs_fuzzers
	scripts/fuzz $(FUZZ_SECONDS)

MUTATIONS ?= 10000
SEED ?= 1
mutations: build  ## MUTATIONS damaged files of each kind, and as many forged certificates; SEED=2 for others
	@scripts/install-packages python3
	PCGS_PROGRAM=build/release/pcgs python3 tests/proof/certify_fuzz.py --seed $(SEED) --cases $(MUTATIONS) \
	  --keep build/certify_fuzz_failures
	PCGS_PROGRAM=build/release/pcgs python3 tests/faults/mutate.py --seed $(SEED) --cases $(MUTATIONS) \
	  --keep build/mutate_failures

KILLS ?= 500
kills: build  ## a run that writes seven files, killed at KILLS random moments; never a mixed set
	python3 tests/faults/kill_run.py build/release/pcgs --kills $(KILLS) --page

coverage: packages  ## lines and branches of the folders that must be right, as far as their tests reach them
	@scripts/install-packages clang llvm
	cmake --preset coverage --log-level=WARNING
	scripts/coverage build/coverage $(JOBS)

MUTANTS ?= 20
mutants: packages  ## slips of the pen in the recursion, the oracle and the checker; MUTANTS of each file
	cmake --preset mutants --log-level=WARNING
	scripts/mutants build/mutants --each $(MUTANTS) --jobs $(JOBS)

picture: build  ## draw docs/switching.svg and docs/report.png
	@scripts/install-packages gnuplot-nox chromium
	build/release/pcgs suite --families switch --sequences 1 --quiet --out build/picture > /dev/null
	gnuplot -e "curves='build/picture/traces/switch.csv'; picture='docs/switching.svg'" docs/switching.gp
	build/release/pcgs suite --families switch --sequences 2 --method guard,pcgs-tf,fixed-share,hedge \
	  --quiet --report build/picture/page.html > /dev/null
	node scripts/screenshot.mjs build/picture/page.html docs/report.png 1000 '#regret-1' 1130

TORCH_PACKAGES = libtorch-dev libopenblas0-pthread libgloo-dev
PYTHON_PACKAGES = python3-pandas python3-sklearn python3-matplotlib

.PHONY: everything
everything: setup  ## install what the optional parts need, too, so that make test leaves nothing out
	@scripts/install-packages $(TORCH_PACKAGES) $(PYTHON_PACKAGES)

train: configure  ## leave pcgs-train at build/release/pcgs-train; installs libtorch
	@scripts/install-packages $(TORCH_PACKAGES)
	@$(CONFIGURE)
	cmake --build --preset release -j $(JOBS) --target pcgs-train

train-test: train  ## test pcgs-train
	cmake --build --preset release -j $(JOBS) --target pcgs_train_test
	ctest --preset release -L train

.PHONY: build-python python-test wheel-test adapters-test batch-test bench-python bench-series
build-python: configure
	cmake --build --preset release -j $(JOBS) --target pcgs-program pcgs_python

python-test: build-python  ## test the Python package with Debian's pandas and scikit-learn; nothing is skipped
	@scripts/install-packages $(PYTHON_PACKAGES)
	PCGS_SKIP_NOTHING=1 ctest --preset release -R '^python'

wheel-test: build  ## pip install into a fresh virtual environment, and test there; needs PyPI
	@scripts/install-packages python3-venv
	scripts/wheel-test build/release/pcgs

adapters-test:  ## the adapters with scikit-learn, river, sktime, darts, statsforecast and mlforecast from PyPI, frames and pictures with pandas 3, polars, pyarrow and altair; ADAPTERS=frames for one
	@scripts/install-packages python3-venv
	scripts/adapters-test $(ADAPTERS)

# The program of a release is compiled with the same.
WHEEL_PACKAGES = build-essential libcli11-dev cmake ninja-build libhwy-dev libfmt-dev libboost-dev nlohmann-json3-dev rsync python3-venv
# Every interpreter that is there, the one of the path last.
PYTHONS = $(wildcard $(foreach minor,9 10 11 12 13,$(HOME)/.pyenv/versions/3.$(minor).*/bin/python3)) python3
.PHONY: sdist wheel wheels
sdist:  ## the source distribution of the Python package, into dist; pip builds it with a compiler alone
	@scripts/install-packages $(WHEEL_PACKAGES)
	@command -v npm > /dev/null || scripts/install-packages nodejs npm
	scripts/sdist dist

wheel: PYTHONS = python3
wheel wheels:  ## a wheel for python3, or for all interpreters that are there, that runs on other machines, into dist; needs PyPI
	@scripts/install-packages $(WHEEL_PACKAGES)
	@command -v npm > /dev/null || scripts/install-packages nodejs npm
	scripts/wheel dist $(PYTHONS)

.PHONY: wheel-chroots release
CHROOTS = bullseye bookworm trixie
wheel-chroots:  ## install the wheels of dist on bare Debian 11, 12 and 13 and run the quick start; as root, needs PyPI
	@scripts/install-packages debootstrap
	scripts/wheel-chroots dist $(CHROOTS)

release: build  ## tarball, .deb, wheels for all interpreters, source packages for Python and R, checksums, into dist; needs PyPI
	@scripts/install-packages $(WHEEL_PACKAGES) $(R_PACKAGES) file
	scripts/release dist $(PYTHONS)

.PHONY: docs
docs: build-python  ## the documentation as a site in build/site, notebooks played, links checked; needs PyPI and npm
	@scripts/install-packages python3-venv
	@command -v npm > /dev/null || scripts/install-packages nodejs npm
	PYTHONPATH=$(CURDIR)/build/release/python scripts/docs-site build/site

R_PACKAGES = r-base-core r-base-dev r-cran-cpp11 r-cran-testthat r-cran-knitr r-cran-rmarkdown pandoc
# The release build, where there is one; else a smaller one of its own: its objects are position-independent, too.
R_BUILD ?= $(if $(wildcard build/release/src/libpcgs_show.a),build/release,build/r/library)
.PHONY: r-library r-test r-package r-bench
r-library: packages
	@scripts/install-packages $(R_PACKAGES)
	@test $(R_BUILD) != build/r/library || cmake -G Ninja -S . -B build/r/library -DCMAKE_BUILD_TYPE=Release \
	  -DCMAKE_POSITION_INDEPENDENT_CODE=ON -DPCGS_PYTHON=OFF -DPCGS_SERVE=OFF -DPCGS_TESTS=OFF -DPCGS_TRAIN=OFF \
	  -DPCGS_REPORT=OFF -DPCGS_WERROR=$(WERROR) --log-level=WARNING > /dev/null
	cmake --build $(R_BUILD) -j $(JOBS) --target pcgs pcgs_show pcgs-program

r-test: r-library  ## R CMD check of the R package, with its tests and those against the program; DATA=folder has what pages read
	PCGS_DATA=$(DATA) scripts/r-check $(R_BUILD)

r-package:  ## the source package for R, into dist; R installs it with cmake and a compiler
	@scripts/install-packages $(WHEEL_PACKAGES) $(R_PACKAGES)
	@command -v npm > /dev/null || scripts/install-packages nodejs npm
	scripts/r-package dist

r-bench: r-library  ## opera's own data through mixture() and oracle(): errors and times, into docs/r.md; DATA=folder, OPERA=folder of its R sources
	scripts/r-check --install-only $(R_BUILD)
	R_LIBS=build/r/check/library Rscript r/bench/french_load.R $(DATA) build/r/bench $(OPERA)
	python3 scripts/results.py build/r/bench docs/r.md

batch-test: build  ## a panel on Spark and on Dask, with the program's forecasts to the bit; needs PyPI
	@scripts/install-packages python3-venv default-jre-headless
	scripts/batch-test build/release/pcgs

bench-python: build-python  ## what Python costs beyond C++
	PYTHONPATH=build/release/python /usr/bin/python3 bench/python_bench.py build/release/pcgs

bench-series: build  ## what several threads gain in pcgs run --by; the ratio in one run, with its range
	/usr/bin/python3 bench/series_bench.py build/release/pcgs

RECIPE = pcgs-tf:oracle
results: build  ## play all studies and put their tables into docs/results.md and docs/internals/paper.md
	@scripts/install-packages python3
	build/release/pcgs suite --study all --retrained models/ablation --out build/results > /dev/null
	build/release/pcgs suite --out build/results/oracle-recipe \
	  --method '$(RECIPE),$(RECIPE){rho=0.01},$(RECIPE){uniform=1},$(RECIPE){rho=0.01,uniform=1}' > /dev/null
	python3 scripts/results.py build/results docs/results.md
	python3 scripts/paper.py studies build/results build/paper
	python3 scripts/results.py build/paper docs/internals/paper.md

bounding: build-python  ## losses bent by Catoni's function beside clipped ones, into docs/results.md
	@scripts/install-packages python3-numpy
	PYTHONPATH=build/release/python /usr/bin/python3 scripts/bounding.py build/release/pcgs build/bounding
	python3 scripts/results.py build/bounding docs/results.md

DATA ?= data
TRAINER ?=
real: build  ## real series into docs/results.md and docs/internals/paper.md; DATA=folder, TRAINER=build/release/pcgs-train to fine-tune
	@scripts/install-packages python3-numpy
	/usr/bin/python3 scripts/real.py build/release/pcgs $(DATA) build/real $(TRAINER)
	python3 scripts/results.py build/real docs/results.md
	python3 scripts/paper.py electricity build/release/pcgs $(DATA) build/paper-electricity
	python3 scripts/results.py build/paper-electricity docs/internals/paper.md

attention: build  ## what attention and a memory are worth, networks trained alike, into docs/results.md; DATA=folder
	@scripts/install-packages python3-numpy
	test -d build/combine/forecasts || /usr/bin/python3 scripts/forecasts.py $(DATA) build/combine/forecasts
	/usr/bin/python3 scripts/attention.py table build/release/pcgs models/ablation/attention $(DATA) build/attention
	/usr/bin/python3 scripts/attention.py combined build/release/pcgs models/ablation/attention-combine \
	  build/combine/forecasts build/attention
	python3 scripts/results.py build/attention docs/results.md

specialists: build  ## pcgs-tf beside copies of it that were trained on for one family each, into docs/results.md
	python3 scripts/specialists.py table build/release/pcgs models/ablation/specialists build/specialists
	python3 scripts/results.py build/specialists docs/results.md

combine: FORECASTS ?= build/combine/forecasts
combine: build  ## errors of combined forecasts into docs/results.md; DATA=folder of series, or FORECASTS=folder of NAME@SEASONS.csv
	@scripts/install-packages python3-numpy
	test -z "$(DATA)" || /usr/bin/python3 scripts/forecasts.py $(DATA) $(FORECASTS)
	/usr/bin/python3 scripts/combine.py build/release/pcgs $(FORECASTS) build/combine
	python3 scripts/results.py build/combine docs/results.md

serve-load: build  ## what the service takes beside its limits, held for SECONDS a row, into docs/serving.md
	cmake --build --preset release -j $(JOBS) --target pcgs_batch_bench
	mkdir -p build/serve
	/usr/bin/python3 scripts/serve_load.py build/release/pcgs build/release/bench/pcgs_batch_bench build/serve \
	  --seconds $(or $(SECONDS),60)
	python3 scripts/results.py build/serve docs/serving.md

KAFKA_PACKAGES = default-jre-headless maven python3-confluent-kafka
KAFKA = build/kafka
NODES ?= 1
.PHONY: kafka kafka-test
kafka:  ## a Kafka broker on 127.0.0.1:9092, from Maven's jars, until it is ended; NODES=3 for three
	@scripts/install-packages $(KAFKA_PACKAGES)
	/usr/bin/python3 scripts/kafka.py $(KAFKA) --nodes $(NODES)

kafka-test: build  ## workers and brokers killed under 200,000 events; answers and states as offline; SEED=2 for others
	@scripts/install-packages $(KAFKA_PACKAGES)
	cmake --build --preset release -j $(JOBS) --target stream_states
	/usr/bin/python3 tests/kafka/kafka_test.py build/release/pcgs build/release/tests/stream_states $(KAFKA) \
	  --seed $(SEED) --nodes $(NODES)

serve-scale: build  ## what 1,000 to 100,000 streams cost, into docs/serving.md
	mkdir -p build/serve-scale
	/usr/bin/python3 scripts/serve_scale.py build/release/pcgs build/serve-scale
	python3 scripts/results.py build/serve-scale docs/serving.md

hubs: build  ## quantile forecasts of two forecast hubs into docs/quantiles.md; DATA=folder
	@scripts/install-packages python3-numpy
	/usr/bin/python3 scripts/hubs.py build/release/pcgs $(DATA) build/hubs
	python3 scripts/results.py build/hubs docs/quantiles.md

peers: FORECASTS ?= build/combine/forecasts
peers:  ## the same forecasts in river's and sktime's hands; needs PyPI, and make combine before it
	@scripts/install-packages python3-venv
	python3 -m venv build/peers
	build/peers/bin/pip install --quiet river==0.26.1 sktime==1.2.0
	build/peers/bin/python scripts/peers.py $(FORECASTS) build/combine
	python3 scripts/results.py build/combine docs/results.md

clean:
	rm -rf build
