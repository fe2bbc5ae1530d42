import { parseArgs } from 'node:util';
import { simulatedModels } from '../system/models.js';

/** Options on the command line of a phone alone. */
export interface PhoneFlags {
  host: string;
  /** The port of adbd; 0 picks a free port. */
  port: number;
  /** The folder that the phone is kept in. */
  data: string;
  /** The model. Undefined: the model with which the phone was made, or the first model for a new phone. */
  model: string | undefined;
  captureDelayMs: number;
  treeDelayMs: number;
  sourceDelayMs: number;
  /** Whether the phone shows the kernel of the host, as a phone in a container does. */
  inContainer: boolean;
  /** The file of keys that adbd trusts. Absent: every client is accepted. */
  keysFile: string | undefined;
  /** The folder of further apps that the phone has. Absent: the folder in the settings. */
  apps: string | undefined;
}

/** Parses the arguments; undefined: help was requested. Throws one line that names the flag that cannot be used. */
export function parseFlags(words: readonly string[]): PhoneFlags | undefined {
  const { values } = parse(words);
  if (values.help === true) return undefined;
  for (const name of ['port', 'data'] as const) {
    if (values[name] === undefined || values[name] === '') throw new Error(`--${name} is missing. See --help.`);
  }
  const model = values.model;
  if (model !== undefined && !simulatedModels.some((one) => one.model === model)) {
    const models = simulatedModels.map((one) => one.model).join(', ');
    throw new Error(`--model "${model}" is unknown. There are: ${models}.`);
  }
  const treeDelayMs = wholeNumber('delay-tree-ms', values['delay-tree-ms'], 600_000);
  return {
    host: values.host,
    port: wholeNumber('port', values.port, 65_535),
    data: values.data ?? '',
    model,
    captureDelayMs: wholeNumber('delay-capture-ms', values['delay-capture-ms'], 600_000),
    treeDelayMs,
    sourceDelayMs: wholeNumber('delay-source-ms', values['delay-source-ms'] ?? usualSourceDelay(treeDelayMs), 600_000),
    inContainer: values.container === true,
    keysFile: values.auth,
    apps: values.apps,
  };
}

export const HELP = `Runs one simulated Android phone, without the service.

  npm run phone -- --port 5600 --data DIR

  --port N                where its adbd listens; 0 picks a free port
  --data DIR              the folder that keeps the phone; made when it does not exist, and the phone with it
  --model M               ${simulatedModels.map(({ model }) => model).join(' or ')}; kept for good. Default: ${simulatedModels[0]?.model ?? ''}
  --host ADDRESS          the address to listen on. Default: 127.0.0.1. Everyone who can reach it controls the phone, unless --auth is given
  --auth KEYS_FILE        accept only clients that have a key of this file: lines of adbkey.pub, as in Android's adb_keys
  --apps DIR              give it further apps: each .js and .mjs file of the folder is one, and its code is run. See docs/phone.md
  --delay-capture-ms N    make each screen capture take N ms longer
  --delay-tree-ms N       make each uiautomator dump take N ms longer
  --delay-source-ms N     make each source of the UiAutomator2 server take N ms longer. Default: 80 with --delay-tree-ms, else 0
  --container             show the kernel of this machine (Linux), with its boot id, as an Android in a container does
  --help                  print this

It prints "phone ready on HOST:PORT" once the phone has booted. SIGTERM and Ctrl-C shut the phone down; its state is kept in DIR.
SIMULATED_APPS_DIR, SIMULATED_BOOT_MS, SIMULATED_STORAGE_MB, FFMPEG and ALLOW_PRIVATE_TARGETS hold as for the service.
`;

function parse(words: readonly string[]) {
  const text = { type: 'string' } as const;
  try {
    return parseArgs({
      args: [...words],
      options: {
        host: { type: 'string', default: '127.0.0.1' },
        port: text,
        data: text,
        model: text,
        auth: text,
        apps: text,
        'delay-capture-ms': text,
        'delay-tree-ms': text,
        'delay-source-ms': text,
        container: { type: 'boolean' },
        help: { type: 'boolean' },
      },
    });
  } catch (error) {
    const reason = error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error);
    throw new Error(`${reason.split('. ')[0] ?? reason}. See --help.`, { cause: error });
  }
}

/** Returns the default delay of the UiAutomator2 source, ms. On a phone with slow dumps, the source is slow too. */
function usualSourceDelay(treeDelayMs: number): string {
  return treeDelayMs > 0 ? '80' : '0';
}

function wholeNumber(name: string, value: string | undefined, max: number): number {
  const number = /^\d+$/.test(value ?? '0') ? Number(value ?? '0') : NaN;
  if (number <= max) return number;
  throw new Error(`--${name} "${value ?? ''}" is not a whole number from 0 to ${max}.`);
}
