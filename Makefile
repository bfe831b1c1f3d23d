# A thin front: everything real is in CMakePresets.json and tools/.
.PHONY: demo build test bench fuzz format lint clean
.DEFAULT_GOAL := build

JOBS ?= $(shell nproc)
MINPAIR = build/release/minpair

build:            ## the program, at build/release/minpair
	@tools/bootstrap.sh build
	@cmake --preset release -Wno-dev >build.log 2>&1 || { cat build.log; exit 1; }
	@rm -f build.log
	@echo "Building (the first time takes a few minutes)"
	@cmake --build --preset release -j $(JOBS) --target minpair

demo: build       ## evaluates the shipped German suite with the shipped model
	@tools/demo.sh $(MINPAIR)

test:             ## everything, then every test
	@tools/bootstrap.sh build test
	@tools/bootstrap.sh train || echo "Without libtorch: the trainer is not built and not tested"
	@tools/bootstrap.sh mpi || echo "Without Open MPI: runs under mpirun are not tested"
	@tools/bootstrap.sh web browser || echo "Without npm and chromium: the page is not built or not tried in a browser"
	@cmake --preset release -Wno-dev >build.log 2>&1 || { cat build.log; exit 1; }
	@rm -f build.log
	@cmake --build --preset release -j $(JOBS)
	@ctest --preset release -j $(JOBS)

bench:            ## every ratio in one page; PARTS="mpi store" for some of them
	@tools/bootstrap.sh build bench
	@cmake --preset release -Wno-dev >/dev/null && cmake --build --preset release -j $(JOBS)
	@bench/page.py build/release $(PARTS)

fuzz:             ## libFuzzer on every reader, SECONDS each
	@tools/bootstrap.sh build fuzz
	@tools/fuzz.sh $(or $(SECONDS_EACH),60)

format:           ## clang-format on what is ours
	@tools/bootstrap.sh lint
	@git ls-files 'src/*.h' 'src/*.cpp' 'tests/*.h' 'tests/*.cpp' 'fuzz/*.cpp' 'bench/*.cpp' | xargs clang-format -i

lint:             ## formatting and clang-tidy
	@tools/bootstrap.sh build lint
	@tools/lint.sh

clean:
	rm -rf build
