import { parseArgs } from 'node:util';

/** Options on the command line of check-phones. */
export interface CheckOptions {
  /** The id of a model of GET /v1/models. */
  model: string;
  /** Absent: the model's first version. */
  android: string | undefined;
  /** Base URL with /v1, and a key that has all scopes and may control all devices. Absent: a service is started for the check. */
  service: { url: string; key: string } | undefined;
  /** Address or CIDR from which this machine's adb reaches the relay. */
  allow: string;
  /** Address of this machine at which phones and the service reach the listeners of the check. */
  address: string;
  /**
   * Command that ends a phone as a crash does; `{serial}` and `{device}` are replaced. Absent: the check of a crash counts as not offered.
   */
  killCommand: string | undefined;
  /** Command that prints what is left of a deleted phone on the host. Absent: that is not checked. */
  leftoversCommand: string | undefined;
  /**
   * Command that prints the memory and the disk that the phone takes on its host, MiB. Absent: the check of usage counts as not offered.
   */
  usageCommand: string | undefined;
  /** Command that prints facts of the phones' host for the report, lines of NAME=VALUE. Absent: the report has none of them. */
  aboutCommand: string | undefined;
  /** How many times a phone is stopped and started. */
  rounds: number;
  /** How long a phone may take to boot, s. */
  bootLimitS: number;
  /** Size of the file that is pushed and pulled, MiB. */
  fileMib: number;
  json: boolean;
}

export const HELP = `Checks that the phones of a model do what the service offers: one is made, used and deleted. Costs what that costs.

  npm run check-phones -- --model NAME

  --model NAME          one of GET /v1/models
  --android VERSION     one of the model's. Default: its first
  --base-url URL        base URL of a running service, with /v1. Default: CLOUDPHONE_URL; where neither is there, a service is started
                        with the settings of this shell (PHONE_DRIVER, MODELS_FILE, …) on a data folder of its own
  --key KEY             a key of it that may control all devices. Default: CLOUDPHONE_KEY
  --allow ADDRESS       the address from which this machine reaches the relay, as the service sees it. Default: 127.0.0.1
  --address ADDRESS     where phones and the service reach this machine, for the proxy of an exit. Default: 127.0.0.1
  --kill-command WORDS  ends the phone at once, as a crash does, on the host: {serial} and {device} are replaced.
                        Example: "docker kill {device}". Without it the row is not offered
  --leftovers-command WORDS
                        prints what is left of the deleted phone on the host; it must print nothing. Placeholders as above
  --usage-command WORDS prints the memory and the disk that the phone takes on its host, two numbers in MiB. Placeholders as above.
                        Without it the row is not offered
  --about-command WORDS prints what a --json report says of the phones' host: lines of NAME=VALUE, such as engine=… and digest=…
  --rounds N            stop and start the phone this often. Default: 20
  --boot-limit-s N      a boot may take this long. Default: 120
  --file-mib N          push and pull a file of this size. Default: 64
  --json                print a report for programs
  --help                print this

Needs adb on the path. The exit status is 0 where no row failed.
`;

/** Parses the arguments; undefined: help was requested. Throws one line that names the option that cannot be used. */
export function readCheckConfig(words: readonly string[], environment: NodeJS.ProcessEnv): CheckOptions | undefined {
  const { values } = parse(words);
  if (values.help === true) return undefined;
  if (values.model === undefined || values.model === '') throw new Error('--model is missing. See --help.');
  const url = values['base-url'] ?? environment['CLOUDPHONE_URL'];
  const key = values.key ?? environment['CLOUDPHONE_KEY'];
  if (url !== undefined && key === undefined)
    throw new Error('--key is missing, for the service of --base-url. See --help.');
  return {
    model: values.model,
    android: values.android,
    service: url === undefined || key === undefined ? undefined : { url, key },
    allow: values.allow ?? '127.0.0.1',
    address: values.address ?? '127.0.0.1',
    killCommand: values['kill-command'],
    leftoversCommand: values['leftovers-command'],
    usageCommand: values['usage-command'],
    aboutCommand: values['about-command'],
    rounds: wholeNumber('rounds', values.rounds, { min: 1, max: 1_000 }, 20),
    bootLimitS: wholeNumber('boot-limit-s', values['boot-limit-s'], { min: 1, max: 3_600 }, 120),
    fileMib: wholeNumber('file-mib', values['file-mib'], { min: 1, max: 1_024 }, 64),
    json: values.json === true,
  };
}

function parse(words: readonly string[]) {
  const text = { type: 'string' } as const;
  try {
    return parseArgs({
      args: [...words],
      options: {
        ...{ model: text, android: text, 'base-url': text, key: text, allow: text, address: text, rounds: text },
        ...{
          'kill-command': text,
          'leftovers-command': text,
          'usage-command': text,
          'about-command': text,
          'boot-limit-s': text,
          'file-mib': text,
        },
        ...{ json: { type: 'boolean' }, help: { type: 'boolean' } },
      } as const,
    });
  } catch (error) {
    const reason = error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error);
    throw new Error(`${reason.split('. ')[0] ?? reason}. See --help.`, { cause: error });
  }
}

function wholeNumber(
  name: string,
  value: string | undefined,
  { min, max }: { min: number; max: number },
  absent: number,
): number {
  const number = value === undefined ? absent : /^\d+$/.test(value) ? Number(value) : NaN;
  if (number >= min && number <= max) return number;
  throw new Error(`--${name} "${value ?? ''}" is not a whole number from ${min} to ${max}.`);
}
