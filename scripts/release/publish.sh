#!/bin/sh
# Signs SHA256SUMS with cosign and publishes dist/release: sh scripts/release/publish.sh v1.2.3. With DRY_RUN=1, prints the commands that need the
# network's services instead of running them. npm finds out from the workflow who it is (trusted publishing), and adds the provenance itself.
set -eu
run() { if [ "${DRY_RUN:-}" = 1 ]; then echo "$*"; else "$@"; fi; }
cd dist/release
sha256sum --check --strict SHA256SUMS
run cosign sign-blob --yes --bundle SHA256SUMS.sigstore.json SHA256SUMS
run npm publish --access public "./shellphone-${1#v}.tgz"
run gh release create "$1" --verify-tag --title "$1" --notes-file ../release-notes.md -- *
