import { CommandFailure, type Command } from '../command.js';

/**
 * `reboot` and `reboot -p`, where the phone lets its shell do that. The phone can boot only into its system, not into modes such as
 * recovery.
 */
export const reboot: Command = async ({ args, machine }) => {
  if (machine.reboot === undefined) throw new CommandFailure('Operation not permitted');
  const isOff = args.join(' ') === '-p' && machine.turnOff !== undefined;
  if (args.length > 0 && !isOff) throw new CommandFailure(`a simulated phone cannot reboot with "${args.join(' ')}"`);
  if (isOff) machine.turnOff();
  else machine.reboot();
  // The command does not return: the phone goes down around it.
  await new Promise<void>((resolve) => machine.power.addEventListener('abort', () => resolve(), { once: true }));
  return 0;
};
