import { expect } from 'chai';
import { Terminal } from './terminal.js';

describe('Terminal', () => {
  const opened = (): { terminal: Terminal; shown: string[] } => {
    const shown: string[] = [];
    return { terminal: new Terminal({ write: async (text) => void shown.push(String(text)) }), shown };
  };
  const read = async (terminal: Terminal): Promise<string | undefined> => (await terminal.read())?.toString();

  it('ends the input of one reader for each Ctrl-D, and goes on', async () => {
    const { terminal } = opened();
    await terminal.type(Buffer.from('a\r\x04b\r'));
    expect([await read(terminal), await read(terminal), await read(terminal)]).to.deep.equal(['a\n', undefined, 'b\n']);
    const reading = read(terminal);
    await terminal.type(Buffer.from('\x04'));
    expect(await reading).to.equal(undefined);
  });

  it('hands over a begun line at Ctrl-D, without a line feed', async () => {
    const { terminal } = opened();
    await terminal.type(Buffer.from('ab\x04c\r'));
    expect([await read(terminal), await read(terminal)]).to.deep.equal(['ab', 'c\n']);
  });

  it('ends for ever when its client ended the input', async () => {
    const { terminal } = opened();
    await terminal.type(Buffer.from('a\r'));
    terminal.end();
    expect([await read(terminal), await read(terminal), await read(terminal)]).to.deep.equal([
      'a\n',
      undefined,
      undefined,
    ]);
  });

  it('drops what was typed ahead at Ctrl-C, and what is too much', async () => {
    const { terminal, shown } = opened();
    await terminal.type(Buffer.from('lost\r\x03'));
    for (let line = 0; line < 10_000; line++) await terminal.type(Buffer.from(`line ${line}\r`));
    expect(shown.filter((text) => text.includes('\x07'))).to.have.length(9_000);
    expect(await read(terminal)).to.equal('line 0\n');
  });
});
