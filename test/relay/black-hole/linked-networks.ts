import { type ChildProcess, execFileSync } from 'node:child_process';
import { startInNamespace, whyNoNamespace } from '../../../testing/network-namespace.js';

/*
 * Two network namespaces, joined by one virtual cable and by nothing else:
 *
 *   the relay's (RELAY, customer0) <------> (CUSTOMER, relay0) the customer's
 */

export const RELAY = '10.90.0.1';
export const CUSTOMER = '10.90.0.2';

const CABLE = 'ip link add name customer0 type veth peer name relay0';

/** Why there are no such networks here; undefined when there are. */
export function whyNotLinked(): string | undefined {
  return whyNoNamespace(CABLE);
}

/** Runs the script of the relay's side in its network. `directory`: where it keeps its temporary files. */
export function startRelaySide(script: string, directory: string): ChildProcess {
  const environment: NodeJS.ProcessEnv = { ...process.env, TMPDIR: directory };
  // A database elsewhere is out of reach.
  delete environment['MONGODB_URL'];
  return startInNamespace('ip link set lo up', script, environment);
}

/** For the relay's side: runs the script of the customer's side in its network. */
export function startCustomerSide(script: string): ChildProcess {
  return startInNamespace('ip link set lo up', script, process.env);
}

/** For the relay's side: lays the cable to a customer's process that is ready. */
export function layCable(customer: ChildProcess): void {
  ip(`${CABLE.slice('ip '.length)} netns ${customer.pid}`);
  ip(`addr add ${RELAY}/24 dev customer0`);
  ip('link set customer0 up');
}

/** For the customer's side: gives its end of the cable its address. */
export function plugIn(): void {
  ip(`addr add ${CUSTOMER}/24 dev relay0`);
  reconnectCable();
}

/**
 * For the customer's side: from now on every packet of either side is lost. The cable is cut at the customer's end, as the relay's system
 * could report an end of its own that is down. So the relay has a route to the customer, and gets no reply.
 */
export function cutCable(): void {
  ip('link set relay0 down');
}

/** For the customer's side: undoes `cutCable`. */
export function reconnectCable(): void {
  ip('link set relay0 up');
}

function ip(command: string): void {
  execFileSync('ip', command.split(' '));
}
