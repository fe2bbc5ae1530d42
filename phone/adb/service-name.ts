/**
 * The name in an OPEN, without the NULs that end it. NULs inside are data: `abb:` and `abb_exec:` part their words with them.
 */
export function serviceName(payload: Buffer): string {
  let end = payload.length;
  while (end > 0 && payload[end - 1] === 0) end--;
  return payload.toString('utf8', 0, end);
}

/**
 * Parses the service name of a shell: `shell:ls`, `shell,v2,TERM=xterm,raw:ls`. adbd takes any name that starts with `shell`, up to the
 * first colon, so this does too. Undefined when the name is no shell.
 */
export function parseShellService(name: string): ShellService | undefined {
  if (!name.startsWith('shell')) return undefined;
  const colon = name.indexOf(':');
  const head = colon < 0 ? name : name.slice(0, colon);
  const command = colon < 0 ? '' : name.slice(colon + 1);
  const words = head.split(',').slice(1);
  const term = words.find((word) => word.startsWith('TERM='))?.slice('TERM='.length);
  // Without a word, a shell without command is a terminal and one with command is not, as adbd does it.
  const pty = words.includes('pty') || (!words.includes('raw') && command === '');
  return { v2: words.includes('v2'), pty, term: term ?? 'dumb', command };
}

export interface ShellService {
  v2: boolean;
  pty: boolean;
  term: string;
  /** Empty: interactive. */
  command: string;
}

/** `shell` of `shell,v2,raw:ls`, `track-jdwp` of itself. For logs and counts: the rest of a name can hold typed text. */
export function serviceWord(name: string): string {
  return /^[A-Za-z0-9_-]*/.exec(name)?.[0] ?? '';
}
