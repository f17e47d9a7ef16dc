# replyonce: `make run` starts the product on this machine, `make test` passes every test that needs no cloud.
.DEFAULT_GOAL := help
SHELL := /bin/bash
GO ?= go
# A program a function, and of the worker one for each provider SDK that it would carry for nothing otherwise.
PROGRAMS := api authorizer worker worker-openai worker-anthropic worker-bedrock indexer dispatcher
TAGS_worker := ,no_openai,no_anthropic,no_bedrock
TAGS_worker-openai := ,no_anthropic,no_bedrock
TAGS_worker-anthropic := ,no_openai,no_bedrock
TAGS_worker-bedrock := ,no_openai,no_anthropic
VERSION := $(shell git describe --always --dirty 2>/dev/null || echo unknown)
# Libraries that run once for a request are not inlined: the programs are a twentieth smaller, which every cold start
# loads, and a request waits a thousand times longer for the network.
LEAN := $(foreach m,github.com/aws/... github.com/anthropics/... github.com/openai/... golang.org/x/...,-gcflags=$m=-l)
BUILD := CGO_ENABLED=0 $(GO) build -trimpath $(LEAN) -ldflags '-s -w -X github.com/replyonce/replyonce/shared/runtimeconfig.version=$(VERSION)'
TOOLS := dist/tools
AXE := functions/api/page/testdata/axe
TEST_FLAGS ?=

.PHONY: help
help: ## list the targets
	@grep -hE '^[a-z0-9/_-]+:.*##' $(MAKEFILE_LIST) | sort | awk -F ':.*## ' '{printf "  %-16s %s\n", $$1, $$2}'

.PHONY: run
run: ## start the whole product here, with an embedded AWS (REPLYONCE_PORT, REPLYONCE_DATA; PROVIDER, BASE_URL, MODEL)
	@$(if $(PROVIDER),REPLYONCE_PROVIDER='$(PROVIDER)') $(if $(BASE_URL),REPLYONCE_PROVIDER_URL='$(BASE_URL)') $(if $(MODEL),REPLYONCE_MODEL='$(MODEL)') \
		$(GO) run ./infra/local/cmd/replyonce-local

.PHONY: providers
providers: ## what each model provider documents about a call whose end nobody saw
	@$(GO) run ./shared/llmprovider/register/cmd/providers

.PHONY: probe
probe: ## ask a provider the same thing twice with one idempotency key, and tell what came back (PROVIDER, BASE_URL, MODEL; REPLYONCE_PROVIDER_KEY)
	@$(if $(PROVIDER),REPLYONCE_PROVIDER='$(PROVIDER)') $(if $(BASE_URL),REPLYONCE_PROVIDER_URL='$(BASE_URL)') $(if $(MODEL),REPLYONCE_MODEL='$(MODEL)') \
		$(GO) run ./shared/llmprovider/probe/cmd/probe

.PHONY: demo
demo: ## play the failures and show that each question has one saved reply
	@$(GO) run ./infra/demo/cmd/replyonce-demo

.PHONY: drill
DRILL_OUT = dist/drill$(if $(BROKEN),/$(BROKEN))
drill: ## play every failure drill on real processes: table, dist/drill/report.html and .json (DRILLS="D07 D11"; BROKEN=unfenced-save: a build that must fail; MUTANTS=1: in virtual time, broken on purpose)
	@$(GO) run ./infra/drill/cmd/replyonce-drill $(if $(MUTANTS),-mutants,$(if $(BROKEN),-broken $(BROKEN)) \
		-json $(DRILL_OUT)/report.json -html $(DRILL_OUT)/report.html -histories $(DRILL_OUT)/histories) $(DRILLS)

.PHONY: soak
soak: DURATION ?= 10m
soak: ## play random schedules of failures in virtual time for DURATION, with rates and coverage
	@set -o pipefail; $(GO) test ./shared/simulation -run '^TestSoak$$' -count=1 -v -timeout 0 -soak $(DURATION) | sed '/^=== /d'

.PHONY: chaos
chaos: DURATION ?= 5m
chaos: ## drill D30 for DURATION: people keep asking while processes die, messages are copied, clocks are wrong (SEED=; BREAK=unfenced-save: must fail)
	@$(GO) run ./infra/drill/cmd/replyonce-chaos -duration $(DURATION) -out dist/chaos $(if $(SEED),-seed $(SEED)) $(if $(BREAK),-break $(BREAK))

.PHONY: bench
bench: build/arm64 build/host dist/tools/aws-lambda-rie ## count units and requests, measure rates, print zip sizes, index real documents and find passages in them
	@$(GO) run ./infra/bench/cmd/replyonce-bench

.PHONY: costs
costs: ## what a month costs on AWS, the model provider excluded
	@$(GO) run ./infra/costs/cmd/replyonce-costs

.PHONY: build
build: build/host build/arm64 ## build the functions for this machine and for Lambda (arm64)

# build_into: the programs for a processor ($1: settings of go build) into a folder of dist ($2).
define build_into
	@echo "building the functions into dist/$2 (the first time takes about a minute) ..."
	@$(foreach p,$(PROGRAMS),$1 $(BUILD) -tags lambda.norpc$(TAGS_$p) -o dist/$2/$p/bootstrap ./functions/$(firstword $(subst -, ,$p)) &&) true
endef

.PHONY: build/host
build/host: ## build the functions for this machine into dist/host
	$(call build_into,,host)

.PHONY: build/arm64
build/arm64: ## build the functions for Lambda (arm64) into dist/arm64
	$(call build_into,GOOS=linux GOARCH=arm64,arm64)

.PHONY: build/x86_64
build/x86_64: ## build the functions for Lambda (x86_64) into dist/x86_64
	$(call build_into,GOOS=linux GOARCH=amd64,x86_64)

.PHONY: test
test: axe ## every test that needs no cloud
	@command -v chromium >/dev/null || echo "skipping browser tests: install chromium (Debian: apt-get install chromium)"
	$(GO) test $(TEST_FLAGS) ./...
	$(GO) test $(TEST_FLAGS) -tags no_openai,no_anthropic,no_bedrock ./functions/worker

.PHONY: test/unit
test/unit: ## tests without browsers and without the one-machine stack
	$(GO) test $(TEST_FLAGS) -short ./shared/... ./functions/...

.PHONY: test/race
test/race: ## tests of the shared packages and functions under the race detector
	$(GO) test -race -short $(TEST_FLAGS) ./shared/... ./functions/...

.PHONY: test/contract
test/contract: ## the store suite, also on the endpoint of AWS_ENDPOINT_URL_DYNAMODB when set
	$(GO) test $(TEST_FLAGS) ./shared/storetest/... ./shared/dynamostore/... ./shared/memstore/...

# Another release to run beside this one: a tag or a commit that git has here.
OTHER ?= $(shell git describe --tags --abbrev=0 2>/dev/null)
.PHONY: test/releases
test/releases: ## functions of this source beside those of another release, in every mixture that a deployment makes: OTHER=...
	@[ -n "$(OTHER)" ] || { echo "no release is tagged: name a commit, make test/releases OTHER=..."; exit 1; }
	REPLYONCE_OTHER_RELEASE=$(OTHER) $(GO) test -count=1 -v -run TestReleasesSideBySide ./infra/local/stack

# A real document for the page to be asked about; its folder is not part of the project.
DOCUMENT ?= $(abspath ../shared/data/constitution-1.8.txt)
.PHONY: e2e
ifndef ENDPOINT
e2e: ## the page in Chromium on the real stack, with a real DOCUMENT where there is one, and drill D11 live; with ENDPOINT=https://...: every check and drill that needs nothing but HTTP
	REPLYONCE_PAGE_DOCUMENT=$(wildcard $(DOCUMENT)) $(GO) run ./infra/local/cmd/with-stack \
		$(GO) test -count=1 -v -run 'OnRunningStack$$' ./functions/api/page
else
e2e:
	@status=0; \
	$(GO) run ./infra/e2e/cmd/replyonce-e2e -endpoint '$(ENDPOINT)' -engine '$(or $(ENGINE),aws)' || status=1; \
	$(GO) run ./infra/drill/cmd/replyonce-drill -endpoint '$(ENDPOINT)' -token "$$REPLYONCE_TOKEN" || status=1; \
	exit $$status
endif

.PHONY: axe
axe: ## install axe-core for the accessibility tests, where npm is there
	@if command -v npm >/dev/null; then \
		[ -d $(AXE)/node_modules/axe-core ] || (echo "installing axe-core for the accessibility tests ..." && npm ci --prefix $(AXE) --silent --no-audit --no-fund); \
	else echo "skipping accessibility tests: install Node.js with npm"; fi

.PHONY: golden
golden: ## write the golden files anew, then look at the difference
	$(GO) test $$(git grep -lE 'flag.Bool\("update"|conformance\.Golden\(' -- '*_test.go' | xargs -n1 dirname | sort -u | sed 's|^|./|') -update

FUZZTIME ?= 10s
# A failure by nothing but "context deadline exceeded" is Go's own: https://go.dev/issue/75804, fixed in Go 1.27.
.PHONY: fuzz
fuzz: ## run each fuzz target for FUZZTIME (default 10s)
	@mkdir -p dist
	@$(GO) list ./... | while read -r p; do \
		for f in $$($(GO) test -list '^Fuzz' $$p 2>/dev/null | grep '^Fuzz'); do \
			echo "$$p $$f"; $(GO) test -run '^$$' -fuzz "^$$f$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 1x $$p >dist/fuzz.log 2>&1 || \
				{ grep -q 'context deadline exceeded' dist/fuzz.log && ! grep -q 'Failing input' dist/fuzz.log; } || { cat dist/fuzz.log; exit 1; }; \
		done; done

# Deployment. Options: STAGE=prod, ARCHITECTURE=x86_64, CDK_OPTIONS="-c concurrency=20 -c issuer=https://..."; see the README.
CDK := infra/app/_cdk/node_modules/.bin/cdk
STAGE ?= dev
ARCHITECTURE ?= arm64
CDK_OPTIONS ?=
define newline


endef
# Options may come from a file, one a line.
CDK_CONTEXT = -c stage=$(STAGE) -c architecture=$(ARCHITECTURE) $(subst $(newline), ,$(CDK_OPTIONS))

# The stack says which release it is of: output Release.
synth diff deploy: export REPLYONCE_RELEASE = $(VERSION)

$(CDK): infra/app/_cdk/package-lock.json
	@command -v npm >/dev/null || { echo "the CDK needs Node.js with npm: install both"; exit 1; }
	@echo "installing the CDK command line ..."
	@npm ci --prefix infra/app/_cdk --silent --no-audit --no-fund && touch $(CDK)

.PHONY: synth
synth: build/$(ARCHITECTURE) $(CDK) ## make the CloudFormation template; warnings are errors
	$(CDK) synth --strict --quiet $(CDK_CONTEXT)
	$(GO) run ./infra/app/extract cdk.out/replyonce-$(STAGE).template.json infra/stack/extract/extract.json
	@echo "wrote cdk.out/replyonce-$(STAGE).template.json"

# Other runtimes: the synthesised stack in containers, on top of the one-machine stack.
SAM := $(TOOLS)/sam/bin/sam
RUN_SAM := $(GO) run ./infra/sam/cmd/replyonce-sam -sam $(SAM)

$(SAM): infra/sam/requirements.txt
	@echo "installing SAM CLI ..."
	@python3 -m venv $(TOOLS)/sam
	@$(TOOLS)/sam/bin/pip install --quiet --disable-pip-version-check -r infra/sam/requirements.txt && touch $(SAM)

.PHONY: sam-local
sam-local: synth $(SAM) ## page and API in containers of SAM CLI (PORT=3000), with table, queue and worker of the one-machine stack
	@infra/sam/with-engine.sh $@ $(RUN_SAM) -port $(or $(PORT),3000)

.PHONY: sam-invoke
sam-invoke: synth $(SAM) ## send a sample to its function in a container: EVENT=events/worker-batch-mixed.json
	@infra/sam/with-engine.sh $@ $(RUN_SAM) -event '$(EVENT)'

.PHONY: sam-test
sam-test: synth $(SAM) ## every check that needs nothing but HTTP, through SAM CLI
	@infra/sam/with-engine.sh $@ $(RUN_SAM) -port 0 sh -c \
		'$(GO) run ./infra/e2e/cmd/replyonce-e2e -engine sam -endpoint "$$REPLYONCE_SAM_URL" -sign-in "$$REPLYONCE_URL"'

# Emulators of AWS. MiniStack runs without containers; LocalStack has to be running at AWS_ENDPOINT_URL.
CDKLOCAL := infra/localstack/_cdk/node_modules/.bin/cdklocal
MINISTACK := $(TOOLS)/ministack/bin/ministack
HOST_ARCHITECTURE := $(if $(filter aarch64 arm64,$(shell uname -m)),arm64,x86_64)
RUN_LOCALSTACK := $(GO) run ./infra/localstack/cmd/replyonce-localstack
ON_STAGE = sh -c '$(MAKE) --no-print-directory e2e ENDPOINT="$$REPLYONCE_STAGE_URL" ENGINE=$(ENGINE)'

$(CDKLOCAL): infra/localstack/_cdk/package-lock.json
	@command -v npm >/dev/null || { echo "the CDK needs Node.js with npm: install both"; exit 1; }
	@echo "installing the CDK command line for emulators ..."
	@npm ci --prefix infra/localstack/_cdk --silent --no-audit --no-fund && touch $(CDKLOCAL)

$(MINISTACK): infra/localstack/requirements.txt
	@echo "installing MiniStack ..."
	@python3 -m venv $(TOOLS)/ministack
	@$(TOOLS)/ministack/bin/pip install --quiet --disable-pip-version-check -r infra/localstack/requirements.txt && touch $(MINISTACK)

.PHONY: localstack-test
localstack-test: ENGINE = localstack
localstack-test: build/$(HOST_ARCHITECTURE) $(CDKLOCAL) ## deploy to a running LocalStack (infra/localstack/compose.yaml) and check it from outside
	@$(RUN_LOCALSTACK) -endpoint '$(or $(AWS_ENDPOINT_URL),http://localhost:4566)' -host '$(or $(HOST_ADDRESS),172.17.0.1)' $(ON_STAGE)

.PHONY: ministack-test
ministack-test: ENGINE = ministack
ministack-test: build/$(HOST_ARCHITECTURE) $(CDKLOCAL) $(MINISTACK) ## deploy to MiniStack, started here, and check it from outside
	@$(RUN_LOCALSTACK) -ministack $(MINISTACK) -log dist/ministack.log \
		-without AWS::CloudWatch::Alarm,AWS::CloudWatch::Dashboard $(ON_STAGE)

.PHONY: options
options: ## list the options of a deployment
	@$(GO) run ./infra/app/options

.PHONY: bootstrap
bootstrap: build/$(ARCHITECTURE) $(CDK) ## prepare an AWS account and region for the CDK, once
	$(CDK) bootstrap $(CDK_CONTEXT)

.PHONY: diff
diff: build/$(ARCHITECTURE) $(CDK) ## what a deployment would change
	$(CDK) diff $(CDK_CONTEXT)

.PHONY: deploy
deploy: build/$(ARCHITECTURE) $(CDK) ## deploy STAGE to the AWS account of your credentials (once for an account and region: make bootstrap)
	$(CDK) deploy --strict $(CDK_CONTEXT) --outputs-file cdk.out/outputs.json

.PHONY: destroy
destroy: build/$(ARCHITECTURE) $(CDK) ## remove STAGE from the account (dev only; prod is protected)
	$(CDK) destroy $(CDK_CONTEXT)

# Operating a deployment: STACK=replyonce-prod; one machine: STACK= and AWS_ENDPOINT_URL.
STACK ?= replyonce-$(STAGE)
OPERATE := $(GO) run ./infra/operator/cmd/replyonce
AT = $(if $(STACK),-stack $(STACK))

.PHONY: task
task: ## show a task: TASK=/v1/conversations/.../tasks/... WORKSPACE=..., or KEY= CALLER= WORKSPACE=
	@$(OPERATE) show $(AT) $(if $(WORKSPACE),-workspace $(WORKSPACE)) $(if $(KEY),-key $(KEY)) $(if $(CALLER),-caller $(CALLER)) $(if $(TEXT),-text) $(TASK)

.PHONY: due
due: ## list due and stuck tasks
	@$(OPERATE) due $(AT)

.PHONY: redrive
redrive: ## send dead letters of open tasks again; a dry run unless YES=1
	@$(OPERATE) redrive $(AT) $(if $(YES),-yes)

VERSIONS ?= 1000000
.PHONY: raise
raise: ## after a restore and before anything is started: raise the versions of all open tasks by VERSIONS; a dry run unless YES=1
	@$(OPERATE) raise $(AT) -by $(VERSIONS) $(if $(YES),-yes)

.PHONY: retry
retry: ## ask a failed task's question again, as a recorded decision: TASK= WORKSPACE= WHY="..."
	@$(OPERATE) retry $(AT) $(if $(WORKSPACE),-workspace $(WORKSPACE)) $(if $(BY),-by '$(BY)') -why '$(WHY)' '$(TASK)'

.PHONY: user
user: ## make a user: EMAIL=... WORKSPACE=...
	@$(OPERATE) user $(AT) -email '$(EMAIL)' $(if $(WORKSPACE),-workspace '$(WORKSPACE)') $(if $(MOVE),-move) $(if $(RESEND),-resend)

.PHONY: test/infra
test/infra: ## tests of the CDK stack
	$(GO) test $(TEST_FLAGS) ./infra/stack/... ./infra/app/...

.PHONY: lint
lint: dist/tools/golangci-lint ## lint everything
	$(GO) vet ./...
	$(TOOLS)/golangci-lint run ./...

.PHONY: audit
audit: dist/tools/govulncheck ## look for known vulnerabilities in what the programs call (VULNDB=file:///copy where vuln.go.dev is out of reach)
	@VULNDB='$(VULNDB)' infra/tools/audit $(TOOLS)/govulncheck ./functions/... ./infra/operator/...

.PHONY: fmt
fmt: dist/tools/golangci-lint ## format everything
	$(TOOLS)/golangci-lint fmt ./...

dist/tools/%: infra/tools/go.mod
	@echo "building $* (the first time takes up to three minutes) ..."
	@mkdir -p $(TOOLS)
	@cd infra/tools && $(GO) build -o ../../$@ $$($(GO) list -f '{{.ImportPath}}' tool | grep '/$*$$')

.PHONY: clean
clean: ## remove what was built
	rm -rf dist
