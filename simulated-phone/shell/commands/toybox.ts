import { CommandFailure, type Command, print } from '../command.js';

/** `toybox COMMAND ...`; alone it lists its commands. */
export const toyboxOf =
  (programs: () => ReadonlyMap<string, Command>): Command =>
  async ({ args, run, stdout }) => {
    const [name] = args;
    if (name === undefined || name === '--long') {
      return print(stdout, `${[...programs().keys()].sort().join(' ')}\n`);
    }
    if (name === '--version') {
      return print(stdout, 'toybox 0.8.10-android\n');
    }
    if (!programs().has(name)) throw new CommandFailure(`Unknown command ${name}`, { status: 127 });
    return run(args);
  };
