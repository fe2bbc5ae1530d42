import { CommandFailure, type Command, print } from '../command.js';
import { unescaped } from '../unescape.js';

export const echo: Command = async ({ args, stdout }) => {
  const words = [...args];
  let newline = true;
  // mksh, Android's shell, interprets escapes by default.
  let escapes = true;
  while (/^-[neE]+$/.test(words[0] ?? '')) {
    const option = words.shift() ?? '';
    if (option.includes('n')) newline = false;
    if (option.includes('E')) escapes = false;
  }
  const { bytes, isCut } = escapes ? unescaped(words.join(' ')) : { bytes: Buffer.from(words.join(' ')), isCut: false };
  return print(stdout, newline && !isCut ? Buffer.concat([bytes, Buffer.from('\n')]) : bytes);
};

export const yes: Command = async ({ args, stdout, signal }) => {
  const line = `${args.join(' ') || 'y'}\n`;
  while (!signal.aborted) await stdout.write(line.repeat(256));
  return 0;
};

/** `seq [FIRST [STEP]] LAST` */
export const seq: Command = async ({ args, stdout, signal }) => {
  const numbers = args.map(Number);
  const last = numbers.at(-1) ?? 0;
  const first = numbers.length > 1 ? (numbers[0] ?? 1) : 1;
  const step = numbers.length > 2 ? (numbers[1] ?? 1) : 1;
  if (args.length === 0 || step === 0 || !numbers.every(Number.isFinite)) throw new CommandFailure('bad number');
  for (let value = first; (step > 0 ? value <= last : value >= last) && !signal.aborted; value += step)
    await stdout.write(`${value}\n`);
  return 0;
};
