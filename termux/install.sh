#!/bin/sh
# Makes the Shellphone that lies here a Termux service that starts at boot: Node where it is missing, then `shellphone setup`, without a
# question. Its flags (--lan, --port N …) go there. Run again at any time: it repairs, and restarts the service.
set -eu
die() { printf 'Error: %s\n' "$*" >&2; exit 1; }

if [ -z "${TERMUX_VERSION:-}" ] || [ ! -d "${PREFIX:-/nowhere}/bin" ]; then
  die 'this is for Termux: TERMUX_VERSION and PREFIX are not set here'
fi
tree=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd -P)
[ -f "$tree/dist/main.js" ] || die "$tree/dist/main.js is missing: npm run build makes it in a clone; the npm package holds it"
node -e 'process.exit(Number.parseInt(process.versions.node) >= 20 ? 0 : 1)' 2>/dev/null ||
  DEBIAN_FRONTEND=noninteractive DPKG_FORCE=confold pkg install -y nodejs-lts </dev/null || die 'pkg could not install nodejs-lts'
exec node "$tree/dist/main.js" setup --yes --upgrade "$@"
