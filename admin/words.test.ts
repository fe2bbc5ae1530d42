import { expect } from 'chai';
import { commands, parseWords } from './words.js';

describe('the words of an operator', () => {
  it('name each command, also those of three words, with its options after them', () => {
    for (const [name, { options = {} }] of Object.entries(commands)) {
      const given = Object.keys(options).map((option) => `--${option.replace('*', '')}=x`);
      expect(parseWords([...name.split(' '), ...given, '--json']), name).to.deep.include({ command: name, json: true });
      expect(parseWords([...name.split(' '), '--help']), name).to.contain(`-- ${name}`);
    }
  });

  it('that name no command are refused with the commands that there are', () => {
    for (const words of [['account'], ['account', 'frobnicate', '--email', 'a@b.c'], ['device', 'list', 'all'], []])
      expect(() => parseWords(words), words.join(' ')).to.throw(/account create|Unexpected argument/);
  });
});
