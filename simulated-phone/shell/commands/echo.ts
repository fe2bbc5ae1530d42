import { CommandFailure, type Command, print } from '../command.js';

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
  const text = asBytes(words.join(' '));
  return print(stdout, Buffer.from((escapes ? unescapeText(text) : text) + (newline ? '\n' : ''), 'latin1'));
};

/** The format is used again until all arguments are. */
export const printf: Command = async ({ args, stdout }) => {
  const [format = '', ...values] = args.map(asBytes);
  let at = 0;
  let before: number;
  do {
    before = at;
    const text = unescapeText(format).replace(
      /%(%|[-0 ]*\d*(?:\.\d+)?[sdiuxXofeEgGcqb])/g,
      (whole, conversion: string) => (conversion === '%' ? '%' : formatValue(whole, values[at++])),
    );
    await stdout.write(Buffer.from(text, 'latin1'));
  } while (at > before && at < values.length);
  return 0;
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

function formatValue(whole: string, value: string | undefined): string {
  const match = /^%([-0 ]*)(\d*)(?:\.(\d+))?([a-zA-Z])$/.exec(whole);
  const [, flags = '', width = '', precision, type = 's'] = match ?? [];
  let text: string;
  if ('diu'.includes(type)) text = String(Math.trunc(Number(value ?? 0)) || 0);
  else if (/[xXo]/.test(type)) text = (Math.trunc(Number(value ?? 0)) || 0).toString(type === 'o' ? 8 : 16);
  else if (/[feEgG]/.test(type)) text = floatText(Number(value ?? 0) || 0, type, Math.min(Number(precision ?? 6), 100));
  else if (type === 'c') text = (value ?? '').slice(0, 1);
  else
    text = type === 'b' ? unescapeText(value ?? '') : (value ?? '').slice(0, precision ? Number(precision) : undefined);
  if ('XEG'.includes(type)) text = text.toUpperCase();
  const size = Math.min(Number(width) || 0, 4_096);
  if (flags.includes('-')) return text.padEnd(size);
  return text.padStart(size, flags.includes('0') && type !== 's' ? '0' : ' ');
}

function floatText(value: number, type: string, digits: number): string {
  if (type === 'f') return value.toFixed(digits);
  if (type === 'g' || type === 'G') return String(Number(value.toPrecision(Math.max(1, digits))));
  return value.toExponential(digits).replace(/e([-+])(\d)$/, 'e$10$2');
}

/** A character for each byte, so that an escape such as `\xff` stands for one byte. */
function asBytes(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1');
}

function unescapeText(text: string): string {
  const letters: Record<string, string> = {
    n: '\n',
    t: '\t',
    r: '\r',
    a: '\x07',
    b: '\b',
    f: '\f',
    v: '\v',
    e: '\x1b',
  };
  return text.replace(/\\(x[\da-fA-F]{1,2}|0?[0-7]{1,3}|[ntrabfve\\])/g, (_whole, code: string) => {
    if (code === '\\') return '\\';
    if (code.startsWith('x')) return String.fromCharCode(parseInt(code.slice(1), 16));
    return letters[code] ?? String.fromCharCode(parseInt(code, 8) & 0xff);
  });
}
