// Package upload has files on their way to become versions of documents. A file
// goes from the browser straight to object storage, by a request that this package
// has signed; the functions never hold it.
//
// What is decided where:
//
//   - A create call announces the file: size, type and hash are in its fingerprint
//     and in the signature, so nothing else can be put under the upload's key. The
//     same call again gives the same upload, signed anew.
//   - Completing looks at the object, and makes the version, its index task and the
//     record of the upload in one write. The upload's id is the key of that record:
//     completed twice, at once, or after a lost acknowledgement, an upload has made
//     one version.
//   - The worker that reads the file checks its hash once more. Not every object
//     storage keeps the hash of what was put.
//
// An upload that nobody completes has written nothing but its announcement; the
// bucket's lifecycle removes its object.
package upload
