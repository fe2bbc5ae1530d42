import { parseArgs } from 'node:util';

/** A parsed command line: its words, and the options by name. */
export interface Words {
  /** Such as `account create`. */
  command: string;
  json: boolean;
  options: Record<string, string | undefined>;
}

interface Command {
  /** What it does, in one line. */
  does: string;
  /** Options with their values in words; a star marks those that must be given. */
  options?: Readonly<Record<string, string>>;
  /** Options without a value. One that is given has the value `yes`. */
  flags?: Readonly<Record<string, string>>;
}

export const commands: Readonly<Record<string, Command>> = {
  info: {
    does: 'Prints the addresses of the service, and on a terminal the first API key and password, until they are replaced.',
  },
  doctor: {
    does: 'Checks settings, clock, disk, engine, images, kernel, ports, certificates and database of this machine, and says what to do.',
  },
  'account create': {
    does: 'Makes an account, also when sign-up is closed.',
    options: { 'email*': 'address to sign in with', password: 'absent: read from standard input' },
  },
  'account password': {
    does: 'Gives an account a new password and ends its sessions. Its API keys stay.',
    options: { 'email*': 'of the account', password: 'absent: read from standard input' },
  },
  'account second-factor remove': {
    does: 'Removes the second factors and recovery codes of a person who lost them, and ends the sessions of the person.',
    options: { 'email*': 'that the person signs in with' },
  },
  'account password-link': {
    does: 'Prints a link with which a person chooses a new password, once, within 30 minutes. It needs no mail server.',
    options: { 'email*': 'of the person' },
  },
  'account sign-in-link': {
    does: 'Makes a link that signs a person in once, within 10 minutes, also when passwords are off.',
    options: { 'email*': 'of the person' },
  },
  'account allow-provider': {
    does: 'Lets the next sign-in by the identity provider with the verified address of a person be the person, once.',
    options: { 'email*': 'of the person' },
  },
  'account credit': {
    does: 'Adds to the balance of an account.',
    options: {
      'email*': 'of the account',
      'amount*': 'in USD, such as 5.00',
      id: 'any text; the same one is never added twice',
    },
  },
  'account list': { does: 'Lists accounts with their balances.' },
  'account disable': {
    does: 'Refuses the keys and sessions of an account, and stops its devices. Nothing is deleted.',
    options: { 'email*': 'of the account' },
  },
  'account enable': { does: 'Lets a disabled account in again.', options: { 'email*': 'of the account' } },
  'account delete': {
    does: 'Deletes a disabled account with its devices, snapshots, timelines and keys. Its lines in the ledger stay.',
    options: { 'email*': 'of the account' },
  },
  'account quota': {
    does: 'Gives an account quotas of its own. An option that is left out: the setting of the service holds.',
    options: {
      'email*': 'of the account',
      devices: 'most devices; 0: no bound',
      'storage-gb': 'most GB of phones, snapshots, templates, recordings and library apps together; 0: no bound',
    },
  },
  'mail test': {
    does: 'Sends a mail to an address at once, and prints what the mail server said.',
    options: { 'to*': 'address that gets the mail' },
  },
  'key create': {
    does: 'Makes an API key and prints it, once.',
    options: {
      'account*': 'e-mail of the account',
      'name*': 'for people',
      'scope*': 'read or control',
      'devices*': "names with commas between them, or '*' for all",
      expires: 'when it stops working, as 2027-11-20T17:00:00Z; never without it',
      allow: 'addresses or ranges that it works from, with commas between them; everywhere without it',
      'webhook-url': 'receives the events of its devices; https, or http too with ALLOW_PRIVATE_TARGETS=on',
    },
  },
  'key list': { does: 'Lists the API keys of an account.', options: { 'account*': 'e-mail of the account' } },
  'key revoke': { does: 'Revokes an API key, within 5 seconds everywhere.', options: { 'id*': 'from key list' } },
  'device list': { does: 'Lists the devices of all accounts.' },
  'device stop': {
    does: 'Stops a device of an account.',
    options: { 'account*': 'e-mail of the account', 'name*': 'of the device' },
  },
  'device delete': {
    does: 'Deletes a device of an account, with its data.',
    options: { 'account*': 'e-mail of the account', 'name*': 'of the device' },
  },
  'device move': {
    does: 'Moves a device to another host, with its data and snapshots. It has to be stopped.',
    options: {
      'name*': 'of the device',
      'to*': 'from host list',
      account: 'e-mail of the account, where devices of several accounts have this name',
    },
    flags: { now: 'stops a running device, moves it and starts it again' },
  },
  'device upgrade-image': {
    does:
      'Gives devices the image that their model has in the models file now, and waits. A device that fails a check goes back to its old ' +
      'image, with its data.',
    options: {
      name: 'of one device, which has to be stopped',
      model: 'all devices of the model, on each host one after the other; those that run stay',
      account: 'with --name: e-mail of the account, where devices of several accounts have this name',
    },
    flags: { now: 'also stops running devices, and starts them again' },
  },
  'job list': {
    does: 'Lists the newest jobs of all accounts, with their times and errors.',
    options: { state: 'running, done or failed' },
  },
  'relay list': { does: 'Lists the ADB relays that are enabled, without their codes.' },
  'host list': { does: 'Lists the hosts with their devices and free room.' },
  'host drain': {
    does: 'Gives a host no new devices, and moves its devices to other hosts with --move.',
    options: { 'id*': 'from host list', undo: 'yes: gives it new devices again, and moves no more' },
    flags: {
      move: 'moves devices that are stopped, and others once they are stopped',
      now: 'with --move: also stops running devices, moves them and starts them again',
    },
  },
  'host forget': {
    does: 'Gives up a host that will not come back; its phones are lost.',
    options: { 'id*': 'from host list' },
  },
  'secrets seal': {
    does: 'Seals all secrets of the database with the first key of SECRETS_KEY, and prints how many needed it.',
  },
  backup: {
    does: 'Copies the database, keys, phones that are off and snapshots into a folder, while the service runs.',
    options: {
      'to*': 'a new folder; files that the newest backup beside it has are shared',
      phones: 'stopped (absent: this), all or none',
    },
  },
  'backup verify': {
    does: 'Reads all of a backup, and compares it with its checksums.',
    options: { 'from*': 'folder of a backup' },
  },
  restore: {
    does: 'Puts a backup into a data folder without a database, or into an empty MongoDB; the service must be stopped.',
    options: { 'from*': 'folder of a backup' },
    flags: { 'data-only': 'leaves MONGODB_URL as it is, for all hosts of an installation but the first' },
  },
  export: {
    does: 'Writes the embedded database as mongorestore reads it, while the service runs.',
    options: { 'to*': 'a new folder' },
  },
};

/** Parses the arguments; returns a text when they request help. Throws one line for an unknown command or a missing option. */
export function parseWords(args: readonly string[]): Words | string {
  const words = commandWords(args);
  const name = words.join(' ');
  const command = commands[name];
  const wantsHelp = args.includes('--help') || args.includes('-h');
  if (wantsHelp && command !== undefined) return help(name, command);
  if (name === 'help' || (wantsHelp && words.length === 0)) return usage();
  if (command === undefined) throw new Error(`${name === '' ? '' : `There is no command "${name}".\n`}${usage()}`);
  const options = Object.keys(command.options ?? {});
  const names = options.map(plain);
  const flags = Object.keys(command.flags ?? {});
  const given = parse(args.slice(words.length), { names, flags, command: name });
  const values: Record<string, string | boolean | undefined> = given;
  for (const option of options.filter(isRequired).map(plain)) {
    if (values[option] === undefined || values[option] === '')
      throw new Error(`${name}: --${option} is missing. See: npm run --silent admin -- ${name} --help`);
  }
  return {
    command: name,
    json: values['json'] === true,
    options: Object.fromEntries([...names, ...flags].map((option) => [option, textOf(values[option])])),
  };
}

/** Returns the words that name a command: up to the first option, and no more than the longest name that fits. */
function commandWords(args: readonly string[]): readonly string[] {
  const end = args.findIndex((arg) => arg.startsWith('-'));
  const words = args.slice(0, end === -1 ? args.length : end);
  const known = words.map((_, at) => words.slice(0, at + 1)).filter((some) => commands[some.join(' ')] !== undefined);
  return known.at(-1) ?? words.slice(0, 2);
}

function textOf(value: string | boolean | undefined): string | undefined {
  return value === true ? 'yes' : value === false ? undefined : value;
}

function parse(
  args: readonly string[],
  { names, flags, command }: { names: readonly string[]; flags: readonly string[]; command: string },
): Record<string, string | boolean | undefined> {
  const known: Record<string, { type: 'string' | 'boolean' }> = { json: { type: 'boolean' } };
  for (const name of names) known[name] = { type: 'string' };
  for (const flag of flags) known[flag] = { type: 'boolean' };
  try {
    return parseArgs({
      args: withNumbers(args),
      options: known,
      strict: true,
      allowPositionals: false,
    }).values;
  } catch (error) {
    throw new Error(`${command}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  }
}

/** Joins `--amount -5` to `--amount=-5`. Otherwise parseArgs takes the number for an option, and fails with a long explanation. */
function withNumbers(args: readonly string[]): string[] {
  const joined: string[] = [];
  for (const arg of args) {
    if (/^-[\d.]/.test(arg) && joined.at(-1)?.startsWith('--') === true) joined.push(`${joined.pop()}=${arg}`);
    else joined.push(arg);
  }
  return joined;
}

const plain = (option: string): string => option.replace('*', '');
const isRequired = (option: string): boolean => option.endsWith('*');

function line(name: string, { options = {}, flags = {} }: Command): string {
  const text = Object.keys(options).map((option) => (isRequired(option) ? `--${plain(option)} …` : `[--${option} …]`));
  const bare = Object.keys(flags).map((flag) => `[--${flag}]`);
  return ['npm run --silent admin --', name, ...text, ...bare].join(' ');
}

function help(name: string, command: Command): string {
  const options = Object.entries({ ...command.options, ...command.flags }).map(
    ([option, text]) => `  --${plain(option).padEnd(12)} ${text}`,
  );
  return `${[line(name, command), '', command.does, ...options, `  --${'json'.padEnd(12)} output for programs`].join('\n')}\n`;
}

function usage(): string {
  const lines = Object.entries(commands).map(([name, command]) => `  ${line(name, command)}`);
  return `Usage (add --json for output that programs read, --help for the help of a command):\n${lines.join('\n')}\n`;
}
