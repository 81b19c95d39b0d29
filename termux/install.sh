#!/bin/sh
# Installs this copy of Shellphone as a Termux service that starts at boot. It installs Node if Node is missing or too old, then runs `shellphone setup`
# with the given flags (--lan, --port N …) and without prompting. You can run it again at any time to repair, upgrade and restart the service.
set -eu
release_url=''
release_sha256=''
die() { printf 'Error: %s\n' "$*" >&2; exit 1; }

if [ -z "${TERMUX_VERSION:-}" ] || [ ! -d "${PREFIX:-/nowhere}/bin" ]; then
  die 'this script needs Termux, but TERMUX_VERSION and PREFIX are not set; run it in Termux on the phone (on Linux: node dist/main.js setup)'
fi
tree=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd -P)
[ -f "$tree/dist/main.js" ] || die "$tree/dist/main.js is missing; in a clone, run npm run build"
node -e 'const [major, minor] = process.versions.node.split("."); process.exit(major > 20 || (major == 20 && minor >= 15) ? 0 : 1)' 2>/dev/null ||
  DEBIAN_FRONTEND=noninteractive DPKG_FORCE=confold pkg install -y nodejs-lts </dev/null || die 'pkg could not install nodejs-lts'
exec node "$tree/dist/main.js" setup --yes --upgrade "$@"
