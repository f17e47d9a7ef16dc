#!/usr/bin/env bash
# Runs a command with a Docker engine and the image of Lambda in it:
#
#   with-engine.sh NAME COMMAND ...
#
# The engine is the one that runs already, or one of its own, which is stopped and
# removed afterwards. Where there is none and none can be started, it says so in
# one line, under the name, and runs nothing.
set -euo pipefail

here=$(dirname "$0")
what=$1
shift

skip() {
	echo "skipping $what: no Docker engine runs here, and none can be started: $1"
	exit 0
}

if docker info >/dev/null 2>&1; then
	"$here/base-image.sh"
	exec "$@"
fi
command -v docker >/dev/null || skip "docker is not installed (Debian: apt-get install docker.io)"
command -v dockerd >/dev/null || skip "dockerd is not installed (Debian: apt-get install docker.io)"
[ "$(id -u)" = 0 ] || skip "it takes root"

folder=$(mktemp -d)
had_bridge=$(ip link show docker0 >/dev/null 2>&1 && echo yes || true)
export DOCKER_HOST="unix://$folder/docker.sock"
setsid dockerd --data-root "$folder/data" --exec-root "$folder/exec" --pidfile "$folder/pid" \
	-H "$DOCKER_HOST" >"$folder/log" 2>&1 &
engine=$!

stop() {
	kill "$engine" 2>/dev/null || true
	wait "$engine" 2>/dev/null || true
	[ -n "$had_bridge" ] || ip link delete docker0 2>/dev/null || true
	rm -rf "$folder"
}
trap stop EXIT

for _ in $(seq 60); do
	docker info >/dev/null 2>&1 && break
	kill -0 "$engine" 2>/dev/null || skip "$(tail -n 1 "$folder/log")"
	sleep 0.5
done
docker info >/dev/null 2>&1 || skip "it does not answer after 30 seconds"
"$here/base-image.sh"
"$@"
