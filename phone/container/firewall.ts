import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** The beginning of the names of all phones' bridges. The rules match these names, so they hold before a phone's first packet. */
export const BRIDGE_PREFIX = 'cph';

/**
 * The port of the proxy on the gateway of each phone's network. Phones reach it on every address of the host. So it is a port that programs
 * of the host rarely use. It is also outside the range that the kernel gives to connections (32768 to 60999).
 */
export const PROXY_PORT = 18_128;

/**
 * A phone's network reaches only the proxy on that network's gateway. Replies to connections that this host opened also pass. This holds
 * whatever routes a phone gives itself, whatever else listens on this host, and whatever other addresses the host has. Phones are not
 * reached from elsewhere. The rules come before those of other tables, so no later rule can let through what is dropped here. Loading the
 * table again replaces it in one step.
 */
const RULES = `
add table inet cloudphone
delete table inet cloudphone
table inet cloudphone {
  chain to_host {
    type filter hook input priority -150; policy accept;
    iifname "${BRIDGE_PREFIX}*" fib daddr . iif type != local drop
    iifname "${BRIDGE_PREFIX}*" ct state established,related accept
    iifname "${BRIDGE_PREFIX}*" tcp dport ${PROXY_PORT} accept
    iifname "${BRIDGE_PREFIX}*" drop
  }
  chain through_host {
    type filter hook forward priority -150; policy accept;
    iifname "${BRIDGE_PREFIX}*" drop
    oifname "${BRIDGE_PREFIX}*" drop
  }
}
`;

/** The time limit for loading the rules, ms. Even a ruleset with thousands of other rules is loaded in less. */
const LOAD_MS = 10_000;

/** The folders in which systems such as Debian keep `nft`. Not every PATH has them. */
const PATH = '/usr/sbin:/sbin:/usr/bin:/bin:/usr/local/sbin';

/** Loads the rules. Throws an error of one line when the kernel does not take them, or the program `nft` is missing. */
export async function loadFirewall(): Promise<void> {
  const nft = spawn('nft', ['-f', '-'], { env: { PATH }, stdio: ['pipe', 'ignore', 'pipe'], timeout: LOAD_MS });
  let complaint = '';
  nft.stderr.on('data', (chunk: Buffer) => (complaint = (complaint + chunk.toString()).slice(0, 300)));
  // A program that ends early closes its input; its status and complaint say why.
  nft.stdin.on('error', () => undefined).end(RULES);
  const [status] = (await once(nft, 'close').catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    throw new Error('the program nft is missing (Debian package nftables)');
  })) as [number | null];
  if (status !== 0)
    throw new Error(`nft cannot keep phones in their networks: ${complaint.trim().split('\n')[0] ?? ''}`);
}
