import { CommandFailure, type Command } from '../command.js';

/** `toybox COMMAND ...`; alone it lists its commands. */
export const toyboxOf =
  (programs: () => ReadonlyMap<string, Command>): Command =>
  async ({ args, run, stdout }) => {
    const [name] = args;
    if (name === undefined || name === '--long') {
      await stdout.write(`${[...programs().keys()].sort().join(' ')}\n`);
      return 0;
    }
    if (name === '--version') {
      await stdout.write('toybox 0.8.10-android\n');
      return 0;
    }
    if (!programs().has(name)) throw new CommandFailure(`Unknown command ${name}`, { status: 127 });
    return run(args);
  };
