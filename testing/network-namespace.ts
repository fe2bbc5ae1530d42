import { type ChildProcess, spawn, spawnSync } from 'node:child_process';

/**
 * A network namespace lasts as long as the process in it: nothing is left to remove. A user that is not root needs a system that lets
 * all users make user namespaces.
 */
const unshare = ['--net', ...(process.getuid?.() === 0 ? [] : ['--user', '--map-root-user'])];

/** Returns the reason why these commands cannot make and set up a network namespace; undefined when they can. */
export function whyNoNamespace(setUp: string): string | undefined {
  const tried = spawnSync('unshare', [...unshare, 'sh', '-c', setUp], { encoding: 'utf8' });
  if (tried.error !== undefined) return `needs Linux with the program unshare (${tried.error.message})`;
  if (tried.status === 0) return undefined;
  const complaint = tried.stderr.trim().replaceAll('\n', '; ');
  return `needs the right to make network namespaces, and the program ip (Debian package iproute2): ${complaint}`;
}

/**
 * Runs a script in a network namespace of its own, set up by the shell commands `setUp`, with a channel for messages. The script ends
 * when the channel closes. The process's id is that of the namespace.
 */
export function startInNamespace(setUp: string, script: string, environment: NodeJS.ProcessEnv): ChildProcess {
  return spawn('unshare', [...unshare, 'sh', '-c', `${setUp} && exec "$@"`, 'sh', process.execPath, script], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    env: environment,
  });
}
