// Package fakewire is what the fake model providers are built from: gates at which
// answers wait, scripts, a log that can be waited for, broken connections, and the
// program around a fake that runs on its own. It knows no API.
package fakewire
