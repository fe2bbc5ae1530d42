import { PassThrough } from 'node:stream';
import { expect } from 'chai';
import { platformWait } from '../../../client/src/platform.js';
import { readSettings } from '../config.js';
import { runProgram } from '../program.js';
import { COMMANDS } from '../table/commands.js';
import { Interrupted } from './failure.js';
import { inputPieces, readInput } from './read-input.js';
import { openTerminal, type Streams } from './terminal.js';

describe('standard input', () => {
  const { signal } = new AbortController();

  it('is read to its end, also where a piece ends within a character', async () => {
    const input = new PassThrough();
    const read = readInput(input, signal);
    const bytes = Buffer.from('é1');
    input.write(bytes.subarray(0, 1));
    input.end(bytes.subarray(1));
    expect(await read).to.equal('é1');
  });

  it('can be read on after its first pieces', async () => {
    const input = new PassThrough();
    input.write('first');
    for await (const piece of inputPieces(input, signal)) {
      expect(piece).to.equal('first');
      break;
    }
    input.end('second');
    expect(await readInput(input, signal)).to.equal('second');
  });

  for (const words of [
    ['login', 'http://127.0.0.1:9', '--key-stdin'],
    ['type', 'demo', '-'],
    ['network', 'demo', '--proxy', '-'],
    ['groups', '--create', '-'],
    ['schedules', '--create', '-'],
  ])
    it(`is no longer waited for after a signal, by ${words.join(' ')}`, async () => {
      const stdin = new PassThrough();
      const streams = { stdin, stdout: new PassThrough(), stderr: new PassThrough() };
      const ended = new AbortController();
      const calling = runProgram(words, COMMANDS, '1.0.0', {
        settings: readSettings({ CLOUDPHONE_URL: 'http://127.0.0.1:9/v1', CLOUDPHONE_KEY: 'cp_a' }, '/'),
        terminal: openTerminal(streams as unknown as Streams),
        wait: platformWait,
        nowMs: () => 0,
        newId: () => 'id',
        signal: ended.signal,
      });
      // The input is being read once a reader is attached.
      while (stdin.listenerCount('readable') === 0) await new Promise((resolve) => setImmediate(resolve));
      ended.abort(new Interrupted(130));
      expect(await calling).to.equal(130);
    });
});
