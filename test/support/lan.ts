export const PHONE = '192.168.77.1'
export const LAPTOP = '192.168.77.2'

/** Shell code for `unshare -n sh -c`: a separate network with an address for the phone and one for a laptop. */
export const makeLan = [
  'ip link set lo up && ip link add wlan0 type veth peer name peer && ip link set wlan0 up && ip link set peer up',
  `ip addr add ${PHONE}/24 dev wlan0 && ip addr add ${LAPTOP}/24 dev lo`,
].join(' && ')
