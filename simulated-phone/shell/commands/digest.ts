import { createHash } from 'node:crypto';
import { CommandFailure, type Command } from '../command.js';
import { parseOptions } from '../options.js';
import { readAll } from '../../streams/pipe.js';
import { eachInput } from './cat.js';

function digestCommand(algorithm: string): Command {
  return (call) => {
    const options = parseOptions(call.args, { flags: ['b', 'c', 's'] });
    return eachInput(call, options.rest, async (source, name) => {
      const hash = createHash(algorithm);
      for (let bytes = await source.read(); bytes; bytes = await source.read()) hash.update(bytes);
      const digest = hash.digest('hex');
      await call.stdout.write(options.has('b') ? `${digest}\n` : `${digest}  ${name}\n`);
    });
  };
}

export const md5sum = digestCommand('md5');
export const sha256sum = digestCommand('sha256');

export const base64: Command = (call) => {
  const options = parseOptions(call.args, { flags: ['d', 'i'], values: ['w'] });
  return eachInput(call, options.rest, async (source) => {
    const bytes = await readAll(source, call.memory);
    if (options.has('d')) {
      await call.stdout.write(Buffer.from(bytes.toString('latin1'), 'base64'));
      return;
    }
    const width = Number(options.value('w') ?? 76);
    const text = bytes.toString('base64');
    await call.stdout.write(width > 0 ? text.replace(new RegExp(`.{1,${width}}`, 'g'), '$&\n') : text);
  });
};

/** `xxd [-p] [-s SKIP] [-l LENGTH] [-c COLUMNS] [FILE]` */
export const xxd: Command = (call) => {
  const options = parseOptions(call.args, { flags: ['p'], values: ['l', 's', 'c'] });
  return eachInput(call, options.rest, async (source) => {
    const [skip, size] = [Number(options.value('s') ?? 0), Number(options.value('c') ?? 16)];
    if (!Number.isInteger(skip) || !Number.isInteger(size) || skip < 0 || size < 1 || size > 256) throw new CommandFailure('bad number'); // prettier-ignore
    const bytes = (await readAll(source, call.memory))
      .subarray(skip)
      .subarray(0, Number(options.value('l') ?? Infinity));
    if (options.has('p')) {
      await call.stdout.write(bytes.toString('hex').replace(/.{1,60}/g, '$&\n'));
      return;
    }
    for (let at = 0; at < bytes.length; at += size) {
      const row = bytes.subarray(at, at + size);
      const hex = row.toString('hex').replace(/.{1,4}/g, '$& ');
      const text = row.toString('latin1').replace(/[^ -~]/g, '.');
      await call.stdout.write(
        `${(skip + at).toString(16).padStart(8, '0')}: ${hex.padEnd(Math.ceil(size * 2.5))} ${text}\n`,
      );
    }
  });
};
