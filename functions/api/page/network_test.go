package page_test

import (
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
)

// setOffline takes the browser's network away, as flight mode does: the page
// sees it in navigator.onLine and by the events.
func setOffline(b *tab, offline bool) {
	b.t.Helper()
	_, err := chromedp.Call(b.ctx, network.OverrideNetworkState, network.OverrideNetworkStateParams{
		Offline: offline, DownloadThroughput: -1, UploadThroughput: -1,
	})
	if err != nil {
		b.t.Fatalf("set the network state: %v", err)
	}
}
