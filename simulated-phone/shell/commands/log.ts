import type { LogPriority } from '../../system/system.js';
import { CommandFailure, type Command } from '../command.js';
import { parseOptions } from '../options.js';

/** `log [-p PRIORITY] [-t TAG] MESSAGE...` */
export const log: Command = async ({ args, machine, pid }) => {
  const options = parseOptions(args, { values: ['p', 't'], strict: true });
  const priority = (options.value('p') ?? 'i').toUpperCase();
  if (!isPriority(priority)) throw new CommandFailure(`bad -p '${priority}'`);
  machine.logcat.write(priority, options.value('t') ?? 'log', options.rest.join(' '), pid);
  return 0;
};

function isPriority(letter: string): letter is LogPriority {
  return letter.length === 1 && 'VDIWEF'.includes(letter);
}
