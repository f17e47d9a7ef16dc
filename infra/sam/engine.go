package sam

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os/exec"
	"strings"
)

// HostAddress is the address of this machine that containers reach it by, and
// that programs of this machine can listen on: that of Docker's own bridge. Where
// the engine runs in a virtual machine there is none.
func HostAddress(ctx context.Context) (string, error) {
	cmd := exec.CommandContext(ctx, "docker", "network", "inspect", "bridge",
		"--format", `{{index .Options "com.docker.network.bridge.name"}}`)
	output, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("ask the Docker engine for its network (is it running?): %w%s", err, said(err))
	}
	name := strings.TrimSpace(string(output))
	address, err := interfaceAddress(name)
	if err != nil {
		return "", fmt.Errorf("find the Docker engine's network %q here (give the address of this machine with -host): %w", name, err)
	}
	return address, nil
}

func interfaceAddress(name string) (string, error) {
	bridge, err := net.InterfaceByName(name)
	if err != nil {
		return "", err //nolint:wrapcheck // the caller says what it is
	}
	addresses, err := bridge.Addrs()
	if err != nil {
		return "", err //nolint:wrapcheck // likewise
	}
	for _, a := range addresses {
		if network, is := a.(*net.IPNet); is && network.IP.To4() != nil {
			return network.IP.String(), nil
		}
	}
	return "", errors.New("it has no address")
}

func said(err error) string {
	if exit, is := errors.AsType[*exec.ExitError](err); is {
		return ": " + strings.TrimSpace(string(exit.Stderr))
	}
	return ""
}

// Architecture names a processor as Lambda does; goarch is the compiler's name.
func Architecture(goarch string) (string, error) {
	switch goarch {
	case "amd64":
		return "x86_64", nil
	case "arm64":
		return "arm64", nil
	}
	return "", fmt.Errorf("no function is built for %s", goarch)
}
