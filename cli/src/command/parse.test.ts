import { expect } from 'chai';
import type { Command } from './command.js';
import { parseWords } from './parse.js';
import { UsageError } from '../output/usage-error.js';

const command = (own: Partial<Command>): Command => ({
  name: 'try',
  section: 'Tests',
  about: 'Try it',
  arguments: [{ name: 'NAME', kind: 'device' }],
  options: { level: { value: 'LEVEL', about: 'A level' }, label: { value: 'L', isMany: true, about: 'A label' } },
  example: 'cloudphone try demo',
  load: async () => ({ run: async () => 0 }),
  ...own,
});

const faultOf = (own: Partial<Command>, ...args: string[]): string => {
  try {
    parseWords(command(own), args);
  } catch (error) {
    if (error instanceof UsageError) return error.message;
    throw error;
  }
  return 'no fault';
};

describe('the words of a command', () => {
  it('are its arguments, options with values in both forms, and repeated options', () => {
    const { words, options } = parseWords(command({}), [
      '--level=warn',
      'demo',
      '--label',
      'a:b',
      '--label=c:d',
      '--json',
    ]);
    expect(words).to.deep.equal(['demo']);
    expect([options.text('level'), options.texts('label'), options.flag('json')]).to.deep.equal([
      ...['warn', ['a:b', 'c:d'], true],
    ]);
  });

  it('are refused by name', () => {
    expect(faultOf({})).to.equal('try: NAME is missing.');
    expect(faultOf({}, 'demo', 'two')).to.equal('try: "two" is one word too many. Put texts with blanks into quotes.');
    expect(faultOf({}, 'demo', '--no-such')).to.equal("try: Unknown option '--no-such'.");
    expect(faultOf({}, 'demo', '--level')).to.include('--level');
    expect(faultOf({}, 'demo', '--json=yes')).to.include('--json');
  });

  it('need nothing beside --help', () => {
    expect(parseWords(command({}), ['--help']).options.flag('help')).to.equal(true);
  });

  it('leave what follows the name to another program, its options too', () => {
    const { words, options, foreign } = parseWords(command({ foreign: 'after-name' }), [
      ...['--level', 'warn', 'demo', 'ls', '-l', '--json', '--', 'x'],
    ]);
    expect([words, options.text('level'), options.flag('json')]).to.deep.equal([['demo'], 'warn', false]);
    expect(foreign).to.deep.equal(['ls', '-l', '--json', '--', 'x']);
    expect(parseWords(command({ foreign: 'after-name' }), ['demo', '--', 'ls']).foreign).to.deep.equal(['ls']);
  });

  it('leave what follows the first -- to another program', () => {
    const own: Partial<Command> = { foreign: 'after-dashes', arguments: [] };
    const { options, foreign } = parseWords(command(own), ['--level', 'warn', '--', 'npx', '--level', '--', 'x']);
    expect([options.text('level'), foreign]).to.deep.equal(['warn', ['npx', '--level', '--', 'x']]);
    expect(faultOf(own, 'npx', 'wdio')).to.include('"npx" is one word too many');
  });

  it('are numbers within their bounds', () => {
    const { options } = parseWords(command({}), ['demo', '--level', '70']);
    expect(options.number('level', { min: 1, max: 70 })).to.equal(70);
    for (const bounds of [
      { min: 71, max: 80 },
      { min: 1, max: 69 },
    ])
      expect(() => options.number('level', bounds)).to.throw(UsageError, `from ${bounds.min} to ${bounds.max}`);
    for (const text of ['x', '-1', '1.5', '', '9'.repeat(20)])
      expect(() =>
        parseWords(command({}), ['demo', `--level=${text}`]).options.number('level', { min: 0, max: 9 }),
      ).to.throw(UsageError);
  });
});
