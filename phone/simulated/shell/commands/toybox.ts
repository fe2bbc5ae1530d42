import { CommandFailure, type Command } from '../command.js';
import { COMMANDS } from './command-table.js';

/** `toybox COMMAND ...`; alone it lists what it has. */
export const toybox: Command = async ({ args, run, stdout }) => {
  const [name] = args;
  if (name === undefined || name === '--long') {
    await stdout.write(`${[...COMMANDS.keys()].sort().join(' ')}\n`);
    return 0;
  }
  if (name === '--version') {
    await stdout.write('toybox 0.8.10-android\n');
    return 0;
  }
  if (!COMMANDS.has(name)) throw new CommandFailure(`Unknown command ${name}`, { status: 127 });
  return run(args);
};
