// Whether trying to reach the service makes sense.

/**
 * The browser's "offline" is about other machines. A service on this machine
 * answers without any network, as on a laptop in a train.
 * @param {string} hostname of the page
 */
function onThisMachine(hostname) {
  return hostname === 'localhost' || hostname.endsWith('.localhost') || hostname === '[::1]' || /^127(\.\d{1,3}){3}$/.test(hostname);
}

/**
 * @param {string} [hostname]
 * @param {boolean} [browserSays]
 */
export function isOnline(hostname = location.hostname, browserSays = navigator.onLine) {
  return browserSays !== false || onThisMachine(hostname);
}
