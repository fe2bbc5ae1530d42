import { GATE_PORT } from './ports.js';

/**
 * Returns the nftables rules for the network of a phone's pod, as one argument of `nft`. Nothing leaves the pod but replies to connections
 * that were opened from outside, and neighbour discovery, without which IPv6 has no replies either. Nothing enters it but connections to
 * ADB and to the gate. The rules are set before the phone's first packet. Only programs with NET_ADMIN in the pod can change them, as in a
 * privileged phone whose user becomes root.
 */
export function killSwitch(adbPort: number): string {
  return [
    'add table inet cloudphone',
    'delete table inet cloudphone',
    'add table inet cloudphone',
    'add chain inet cloudphone out { type filter hook output priority -150; policy drop; }',
    'add rule inet cloudphone out oif lo accept',
    'add rule inet cloudphone out ct direction reply ct state established,related accept',
    'add rule inet cloudphone out icmpv6 type { nd-neighbor-solicit, nd-neighbor-advert } accept',
    'add chain inet cloudphone in { type filter hook input priority -150; policy drop; }',
    'add rule inet cloudphone in iif lo accept',
    'add rule inet cloudphone in ct state established,related accept',
    'add rule inet cloudphone in icmpv6 type { nd-neighbor-solicit, nd-neighbor-advert } accept',
    `add rule inet cloudphone in tcp dport { ${adbPort}, ${GATE_PORT} } accept`,
  ].join('; ');
}
