import { type ChildProcess, spawn, spawnSync } from 'node:child_process';

/**
 * A network namespace of its own, in which every address there is, of both families, leads to itself and nothing leads out. It lasts
 * as long as the process in it: nothing is left to remove. A user that is not root needs a system that lets all users make user namespaces.
 */
const unshare = ['--net', ...(process.getuid?.() === 0 ? [] : ['--user', '--map-root-user'])];
const setUp = 'ip link set lo up && ip route add local 0.0.0.0/0 dev lo && ip -6 route add local ::/0 dev lo';

/** Why there are no such networks here; undefined when there are. */
export function whyNotSealed(): string | undefined {
  const tried = spawnSync('unshare', [...unshare, 'sh', '-c', setUp], { encoding: 'utf8' });
  if (tried.error !== undefined) return `needs Linux with the program unshare (${tried.error.message})`;
  if (tried.status === 0) return undefined;
  const complaint = tried.stderr.trim().replaceAll('\n', '; ');
  return `needs the right to make network namespaces, and the program ip (Debian package iproute2): ${complaint}`;
}

/**
 * Runs a script in a network of its own, with a channel for messages. It is to end when the channel closes. `directory`: where it
 * keeps its temporary files.
 */
export function startSealed(script: string, directory: string): ChildProcess {
  const environment: NodeJS.ProcessEnv = { ...process.env, TMPDIR: directory };
  // A database elsewhere is out of reach.
  delete environment['MONGODB_URL'];
  return spawn('unshare', [...unshare, 'sh', '-c', `${setUp} && exec "$@"`, 'sh', process.execPath, script], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    env: environment,
  });
}
