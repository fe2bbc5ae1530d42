import { parseArgs } from 'node:util';

/** A command line taken apart: the words, and the options by name. */
export interface Words {
  /** Such as `account create`. */
  command: string;
  json: boolean;
  options: Record<string, string | undefined>;
}

/** The options of each command; a star marks those that must be given. */
export const commands: Record<string, readonly string[]> = {
  'account create': ['email*', 'password'],
  'account credit': ['email*', 'amount*', 'id'],
  'account list': [],
  'key create': ['account*', 'name*', 'scope*', 'devices*', 'webhook-url'],
  'key list': ['account*'],
  'key revoke': ['id*'],
  'device list': [],
  'job list': ['state'],
  'relay list': [],
  'host list': [],
  'host drain': ['id*', 'undo'],
  'host forget': ['id*'],
  backup: ['to*'],
  restore: ['from*'],
  export: ['to*'],
};

/** Takes the arguments apart. Throws one line, with the usage, for what is not a command. */
export function parseWords(args: readonly string[]): Words {
  const words = args.slice(0, 2).filter((word) => !word.startsWith('-'));
  const command = words.join(' ');
  const allowed = commands[command];
  if (allowed === undefined) throw new Error(usage(command === '' ? '' : `There is no command "${command}".\n`));
  const names = allowed.map((name) => name.replace('*', ''));
  const values: Record<string, string | boolean | undefined> = parse(args.slice(words.length), names, command);
  const options = Object.fromEntries(names.map((name) => [name, values[name] as string | undefined]));
  for (const name of allowed.filter((option) => option.endsWith('*'))) {
    const plain = name.slice(0, -1);
    if (options[plain] === undefined || options[plain] === '') throw new Error(`${command}: --${plain} is missing`);
  }
  return { command, json: values['json'] === true, options };
}

function parse(args: string[], names: readonly string[], command: string) {
  const known = Object.fromEntries(names.map((name) => [name, { type: 'string' as const }]));
  try {
    return parseArgs({ args, options: { ...known, json: { type: 'boolean' } }, strict: true, allowPositionals: false })
      .values;
  } catch (error) {
    throw new Error(`${command}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  }
}

function usage(before: string): string {
  const lines = Object.entries(commands).map(([command, options]) => {
    const text = options.map((name) => (name.endsWith('*') ? `--${name.slice(0, -1)} …` : `[--${name} …]`)).join(' ');
    return `  npm run --silent admin -- ${command} ${text}`.trimEnd();
  });
  return `${before}Usage (add --json for output that programs read):\n${lines.join('\n')}`;
}
