import { CommandFailure, type Command } from '../command.js';

export const getprop: Command = async ({ args, machine, stdout }) => {
  const words = args.filter((word) => !/^-[TZ]$/.test(word));
  const [name, fallback] = words;
  if (name !== undefined) await stdout.write(`${machine.properties.get(name) || (fallback ?? '')}\n`);
  else await stdout.write(machine.properties.entries().map(([key, value]) => `[${key}]: [${value}]\n`).join('')); // prettier-ignore
  return 0;
};

/** Properties that the shell of a production build may set. */
const SETTABLE = /^(debug|log|persist\.log|persist\.debug|test|tmp|persist\.sys\.(timezone|locale))\b/;

export const setprop: Command = async ({ args, machine }) => {
  const [name, value] = args;
  if (name === undefined || value === undefined) throw new CommandFailure('usage: setprop NAME VALUE', { bare: true });
  const failure = new CommandFailure(`Failed to set property '${name}' to '${value}'.\nSee dmesg for error reason.`, { bare: true }); // prettier-ignore
  if (!SETTABLE.test(name) || name.length > 256) throw failure;
  if (value.length > 91) throw new CommandFailure(`Value '${value}' is too long`, { bare: true });
  if (!machine.properties.set(name, value)) throw failure;
  return 0;
};
