import type { Wait } from '../../../client/src/platform.js';
import type { Settings } from '../config.js';
import type { Terminal } from '../output/terminal.js';
import type { Options } from './options.js';

/** The kind of a word, by which shells complete it. */
export type WordKind = 'device' | 'file' | 'directory' | 'command' | 'text';

/** A positional word of a command. */
export interface Argument {
  /** In capitals, as help shows it: NAME. */
  name: string;
  kind: WordKind;
  isOptional?: true;
  /** Takes all words that follow. */
  isMany?: true;
}

/** An option of a command. */
export interface Option {
  /** The name of its value in help, in capitals. Absent: the option is a switch. */
  value?: string;
  /** One letter. */
  short?: string;
  /** Can be given several times. */
  isMany?: true;
  /** Completed from these words. */
  words?: readonly string[];
  kind?: WordKind;
  /** One sentence without a full stop. */
  about: string;
}

/** A row of the table of commands. Help, completion and docs/cli.md are made from it. */
export interface Command {
  name: string;
  section: string;
  /** One sentence without a full stop. */
  about: string;
  arguments: readonly Argument[];
  options: Readonly<Record<string, Option>>;
  /**
   * The words of another program that follow. `after-name`: all words after the first argument, options too. `after-dashes`: the words after
   * `--`. Absent: the command starts no other program.
   */
  foreign?: 'after-name' | 'after-dashes';
  /** One line to copy. */
  example: string;
  /** Loads the code, so that a call loads the code of one command. */
  load: () => Promise<Implementation>;
}

export interface Implementation {
  /** A number is the exit status; everything else is status 0. */
  run: (invocation: Invocation) => Promise<unknown>;
}

/** A call of a command, with the parts of the world that the command uses. */
export interface Invocation {
  commands: readonly Command[];
  words: readonly string[];
  options: Options;
  /** The words of another program. */
  foreign: readonly string[];
  settings: Settings;
  terminal: Terminal;
  wait: Wait;
  nowMs: () => number;
  /** Makes an id that no other call has. */
  newId: () => string;
  /** Aborted by Ctrl-C, SIGTERM, the end of the reader of standard output, and a fault that nobody caught. */
  signal: AbortSignal;
}
