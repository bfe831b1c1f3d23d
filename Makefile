# A thin front: everything real is in CMakePresets.json and tools/.
.PHONY: release docs golden-check demo build configure test check fresh package wheel install bench fuzz format lint clean campaign
.DEFAULT_GOAL := build

JOBS ?= $(shell nproc)
WERROR ?= OFF
PREFIX ?= /usr/local
MINPAIR = build/release/minpair
BUILD = tools/quietly.sh build "Building minpair" cmake --build --preset release -j $(JOBS)

build:            ## the program, at build/release/minpair
	@tools/bootstrap.sh build
	@tools/bootstrap.sh web || echo "Without npm: there will be no page ('page', 'serve')"
	@tools/quietly.sh configure "Configuring" cmake --preset release -Wno-dev
	@$(BUILD) --target product

demo: build       ## evaluates the shipped German suite with the shipped models; writes build/demo.html
	@tools/demo.sh $(MINPAIR) build/demo

test:             ## everything, then every test
	@tools/bootstrap.sh build test
	@tools/bootstrap.sh web browser || echo "Without npm and chromium: the page is not built or not tried in a browser"
	@tools/bootstrap.sh python || echo "Without pytest and numpy: the Python package is not tested"
	@tools/bootstrap.sh r || echo "Without R: the R package is not tested"
	@tools/bootstrap.sh train || echo "Without libtorch: the trainer is not built and not tested"
	@tools/bootstrap.sh mpi || echo "Without Open MPI: runs under mpirun are not tested"
	@tools/quietly.sh configure "Configuring" cmake --preset release -Wno-dev -DMINPAIR_TESTS=ON -DMINPAIR_WERROR=$(WERROR)
	@$(BUILD)
	@tools/test.sh build/release -j $(JOBS)

golden-check:     ## the tiny checkpoints made again with Hugging Face's library, and what minpair computes with them
	@$(BUILD) --target test_model
	@tools/golden/check.py build/release/test_model $(GOLDEN_MADE)

check:            ## what must hold before a release: debug, sanitizers, one link with all types in sight, lint, mutants
	@tools/check.sh $(PARTS)

fresh:            ## 'make demo' and 'make test' in new, bare Debian systems (as root; an hour)
	@tools/fresh.sh bookworm
	@tools/fresh.sh trixie

package:          ## build/minpair_*.deb, and a tarball that needs nothing but glibc
	@tools/bootstrap.sh build web mpi package
	@tools/package.sh $(JOBS)

wheel:            ## build/minpair-*.whl, a Python wheel that needs nothing but glibc
	@tools/bootstrap.sh build package
	@tools/wheel.sh $(JOBS)

docs:             ## the manual as a site with search, at build/docs/index.html
	@tools/bootstrap.sh web python
	@tools/docs.sh --notebooks

release:          ## everything that a release consists of, from a tag; tools/release.sh says more
	@tools/bootstrap.sh build web mpi package r
	@tools/release.sh $(PARTS)

install: build    ## program, data, man pages, completion; PREFIX=...
	@tools/quietly.sh install "Installing below $(PREFIX)" cmake --install build/release --prefix $(PREFIX)

bench:            ## every ratio in one page; PARTS="mpi store" for some of them
	@tools/bootstrap.sh build bench
	@tools/quietly.sh configure "Configuring" cmake --preset release -Wno-dev -DMINPAIR_BENCH=ON
	@$(BUILD)
	@bench/page.py build/release $(PARTS)

fuzz:             ## libFuzzer on every reader, SECONDS each
	@tools/bootstrap.sh build fuzz
	@tools/fuzz.sh $(or $(SECONDS_EACH),60)

campaign:         ## tries to break the program for HOURS; build/campaign.md has one table of what was done and found
	@tools/campaign.py $(or $(HOURS),1) $(PARTS)

format:           ## clang-format and the page's formatter on what is ours
	@tools/bootstrap.sh lint web
	@git ls-files 'src/*.h' 'src/*.cpp' 'tests/*.h' 'tests/*.cpp' 'fuzz/*.cpp' 'bench/*.cpp' | xargs clang-format -i
	@tools/web_lint.sh --write

lint:             ## formatting, clang-tidy, and lint of the page
	@tools/bootstrap.sh build lint web
	@tools/lint.sh

clean:
	rm -rf build
