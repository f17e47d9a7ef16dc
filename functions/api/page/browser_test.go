package page_test

import (
	"context"
	"os"
	"os/exec"
	"sync"
	"testing"

	"github.com/chromedp/chromedp"
)

// One Chromium serves all tests; each test gets a browser context of its own,
// which is as good as a new profile: nothing is shared between them.
var (
	browserOnce   sync.Once
	browserCtx    context.Context
	errBrowser    error
	browserCancel []context.CancelFunc
)

// plainHost resolves to this machine but is no secure context: the same as a
// page on a LAN address without TLS.
const plainHost = "replyonce.test"

func TestMain(m *testing.M) {
	code := m.Run()
	for i := len(browserCancel) - 1; i >= 0; i-- {
		browserCancel[i]()
	}
	os.Exit(code)
}

// skipUnlessRequired skips, or fails where everything is required to run.
func skipUnlessRequired(t *testing.T, reason string) {
	t.Helper()
	if os.Getenv("REQUIRE_ALL") == "1" {
		t.Fatal(reason)
	}
	t.Skip(reason)
}

func browser(t *testing.T) context.Context {
	t.Helper()
	if testing.Short() {
		t.Skip("browser tests are left out of short runs")
	}
	binary := os.Getenv("CHROMIUM")
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if binary == "" {
			binary, _ = exec.LookPath(name)
		}
	}
	if binary == "" {
		skipUnlessRequired(t, "no chromium found: install Debian's package chromium, or set CHROMIUM")
	}
	browserOnce.Do(func() { errBrowser = startBrowser(binary) })
	if errBrowser != nil {
		t.Fatalf("start %s: %v", binary, errBrowser)
	}
	return browserCtx
}

func startBrowser(binary string) error {
	profile, err := os.MkdirTemp("", "replyonce-browser-")
	if err != nil {
		return err
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(binary),
		chromedp.UserDataDir(profile),
		chromedp.DisableGPU,
		chromedp.Flag("disable-quic", true),
		chromedp.Flag("disable-component-update", true),
		chromedp.Flag("host-resolver-rules", "MAP "+plainHost+" 127.0.0.1"),
	)
	if os.Geteuid() == 0 {
		options = append(options, chromedp.NoSandbox)
	}
	allocator, stop := chromedp.NewExecAllocator(context.Background(), options...)
	ctx, cancel := chromedp.NewContext(allocator)
	browserCancel = append(browserCancel, func() { _ = os.RemoveAll(profile) }, stop, cancel)
	browserCtx = ctx
	return chromedp.Do(ctx)
}
