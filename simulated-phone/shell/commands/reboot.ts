import { CommandFailure, type Command } from '../command.js';

/** `reboot`, where the phone lets its shell do that. There is nothing but the system to boot into, and no way to be off. */
export const reboot: Command = async ({ args, machine }) => {
  if (machine.reboot === undefined) throw new CommandFailure('Operation not permitted');
  if (args.length > 0) throw new CommandFailure(`a simulated phone cannot reboot with "${args.join(' ')}"`);
  machine.reboot();
  // The command does not return: the phone goes down around it.
  await new Promise<void>((resolve) => machine.power.addEventListener('abort', () => resolve(), { once: true }));
  return 0;
};
