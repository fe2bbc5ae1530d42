import { PassThrough } from 'node:stream';
import { expect } from 'chai';
import { Interrupted } from '../output/failure.js';
import { openTerminal, type Streams } from '../output/terminal.js';
import { UsageError } from '../output/usage-error.js';
import { askForSecret } from './read-secret.js';

const { signal } = new AbortController();

/** Returns the answer to a question that a person types in these pieces, what is shown, and the modes that the terminal was set to. */
async function typed(...pieces: string[]): Promise<{ answer: string | Error; shown: string; modes: boolean[] }> {
  const modes: boolean[] = [];
  const stdin = Object.assign(new PassThrough(), { isTTY: true, setRawMode: (mode: boolean) => void modes.push(mode) });
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  let shown = '';
  for (const stream of [stdout, stderr])
    stream.on('data', (chunk: Buffer) => {
      shown += chunk.toString();
    });
  for (const piece of pieces) stdin.write(piece);
  stdin.end();
  const terminal = openTerminal({ stdin, stdout, stderr } as unknown as Streams);
  const answer = await askForSecret(terminal, 'API key: ', signal).catch((error: unknown) => error as Error);
  return { answer, shown, modes };
}

describe('the question for a key', () => {
  it('shows nothing of the answer, and leaves the terminal as it was', async () => {
    expect(await typed('cp_sec', '\u007fcret\r')).to.deep.equal({
      ...{ answer: 'cp_secret', shown: 'API key: \n', modes: [true, false] },
    });
  });

  it('ends by Ctrl-C, and at the end of the input', async () => {
    const { answer, modes } = await typed('cp_\u0003');
    expect(answer).to.be.instanceOf(Interrupted);
    expect(modes).to.deep.equal([true, false]);
    expect((await typed('cp_x')).answer).to.equal('cp_x');
    expect((await typed('\u0004')).answer).to.be.instanceOf(Interrupted);
  });

  it('ends by a signal of another program, with the terminal as it was', async () => {
    const modes: boolean[] = [];
    const stdin = Object.assign(new PassThrough(), {
      isTTY: true,
      setRawMode: (mode: boolean) => void modes.push(stdin.destroyed ? true : mode),
    });
    const streams = { stdin, stdout: new PassThrough(), stderr: new PassThrough() } as unknown as Streams;
    const ended = new AbortController();
    const asking = askForSecret(openTerminal(streams), '?', ended.signal).catch((error: unknown) => error);
    stdin.write('cp_');
    setImmediate(() => ended.abort(new Interrupted(143)));
    expect(await asking)
      .to.be.instanceOf(Interrupted)
      .and.include({ status: 143 });
    expect(modes.slice(0, 2)).to.deep.equal([true, false]);
  });

  it('keeps no more than a key may have', async () => {
    expect((await typed('x'.repeat(40_960), '\n')).answer).to.have.length(4_096);
  });

  it('is not asked where nobody sees it', async () => {
    const streams = { stdin: new PassThrough(), stdout: new PassThrough(), stderr: new PassThrough() };
    const fault = await askForSecret(openTerminal(streams as unknown as Streams), '?', signal).catch(
      (error: unknown) => error,
    );
    expect(fault).to.be.instanceOf(UsageError);
  });
});
