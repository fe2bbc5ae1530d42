import { accountCommands } from './account-commands.js';
import { hostCommands } from './host-commands.js';
import { keyCommands } from './key-commands.js';
import type { Output } from './output.js';
import { phoneCommands } from './phone-commands.js';
import type { Commands, Services } from './services.js';
import type { Words } from './words.js';

const commands: Commands = { ...accountCommands, ...keyCommands, ...phoneCommands, ...hostCommands };

/** Runs a command of a running service. Throws the service's refusals. */
export function runCommand(services: Services, { command, options }: Words): Promise<Output> {
  const run = commands[command];
  if (run === undefined) throw new Error(`no command ${command}`);
  return run(services, options);
}
