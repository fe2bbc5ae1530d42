import type { ChildProcess } from 'node:child_process';
import { startInNamespace, whyNoNamespace } from '../../../testing/network-namespace.js';

/** A network in which every address there is, of both families, leads to itself and nothing leads out. */
const setUp = 'ip link set lo up && ip route add local 0.0.0.0/0 dev lo && ip -6 route add local ::/0 dev lo';

/** Why there are no such networks here; undefined when there are. */
export function whyNotSealed(): string | undefined {
  return whyNoNamespace(setUp);
}

/** Runs a script in such a network, see `startInNamespace`. `directory`: where it keeps its temporary files. */
export function startSealed(script: string, directory: string): ChildProcess {
  const environment: NodeJS.ProcessEnv = { ...process.env, TMPDIR: directory };
  // A database elsewhere is out of reach.
  delete environment['MONGODB_URL'];
  return startInNamespace(setUp, script, environment);
}
