/**
 * The name in an OPEN, without the NULs that end it. NULs inside are data: they separate the words of `abb:` and `abb_exec:`.
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
  // Without `pty` and `raw`, a shell is a terminal when it has no command, as in adbd.
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

/** Returns the first word of a service name for logs, such as `shell` of `shell,v2,raw:ls`. The rest can hold typed text. */
export function serviceWord(name: string): string {
  return /^[A-Za-z0-9_-]*/.exec(name)?.[0] ?? '';
}
