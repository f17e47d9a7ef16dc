#!/usr/bin/env bash
# Gets the image that SAM CLI starts functions in, and where it cannot be pulled
# makes a stand-in: a shell with its tools, CA certificates and the folders of
# Lambda. Our functions are static programs and need no more. SAM CLI itself puts
# the runtime interface emulator on top of it.
#
# Tagged as SAM CLI 1.170.0 looks for it (samcli/local/docker/lambda_image.py):
# public.ecr.aws/lambda/provided:al2023-<architecture>. With --skip-pull-image
# it takes an image of that name from this machine and asks no registry.
#
# Needs a Docker engine; the stand-in needs apt, for Debian's busybox-static.
set -euo pipefail

case "$(uname -m)" in
x86_64 | amd64) architecture=x86_64 debian=amd64 ;;
aarch64 | arm64) architecture=arm64 debian=arm64 ;;
*) echo "base-image: no function is built for $(uname -m)" >&2 && exit 1 ;;
esac
image="public.ecr.aws/lambda/provided:al2023-$architecture"
label=org.replyonce.stand-in

if docker image inspect "$image" >/dev/null 2>&1; then
	exit 0 # the real one, or ours from an earlier run
fi
if docker pull --quiet "$image" >/dev/null 2>&1; then exit 0; fi

command -v apt-get >/dev/null || {
	echo "base-image: $image cannot be pulled, and the stand-in is made of Debian's busybox-static, which needs apt-get" >&2
	exit 1
}

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
root="$folder/root"
mkdir -p "$root"/{bin,etc/ssl/certs,opt,tmp,usr,var/rapid,var/runtime,var/task}
chmod 1777 "$root/tmp"

download() { (cd "$folder" && apt-get download -qq -o APT::Sandbox::User="$(id -un)" "busybox-static:$debian" >/dev/null); }
download 2>/dev/null || { apt-get update -qq && download; } # a new machine has no list of packages yet
dpkg-deb -x "$folder"/busybox-static_*.deb "$folder/busybox"
install -m 755 "$(find "$folder/busybox" -path '*bin/busybox')" "$root/bin/busybox"
for tool in sh mv chmod cp rm ls cat env sleep; do ln -s busybox "$root/bin/$tool"; done

if [ -e /etc/ssl/certs/ca-certificates.crt ]; then
	cp -L /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/"
fi
echo 'root:x:0:0:root:/tmp:/bin/sh' >"$root/etc/passwd"
echo 'hosts: files dns' >"$root/etc/nsswitch.conf"

tar -C "$root" -c . | docker import \
	--change "LABEL $label=1" --change 'WORKDIR /var/task' \
	--change 'ENV PATH=/bin LAMBDA_TASK_ROOT=/var/task LAMBDA_RUNTIME_DIR=/var/runtime TZ=:/etc/localtime' \
	- "$image" >/dev/null
echo "base-image: made a stand-in for $image"
