import { expect } from 'chai';
import { helpOf, helpOfAll } from '../command/help.js';
import { parseWords } from '../command/parse.js';
import { COMMANDS } from './commands.js';

/** Returns the words of an example, as a shell has them. Words in single or double quotes are one word. */
function wordsOf(example: string): string[] {
  return [...example.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map(
    ([, single, double, bare]) => single ?? double ?? bare ?? '',
  );
}

describe('the table of commands', () => {
  it('names each command once', () => {
    const names = COMMANDS.map(({ name }) => name);
    expect(new Set(names).size).to.equal(names.length);
  });

  it('has an example for each command that the command takes', () => {
    for (const command of COMMANDS) {
      const { name, example } = command;
      if (name === 'completion') continue;
      const [program, ...words] = wordsOf(example);
      const count = name.split(' ').length;
      expect([program, ...words.slice(0, count)].join(' '), example).to.equal(`cloudphone ${name}`);
      parseWords(command, words.slice(count));
    }
  });

  it('loads the code of each command', async () => {
    for (const { name, load } of COMMANDS) expect((await load()).run, name).to.be.a('function');
  });

  it('has plain sentences: no full stop, no name of a phone that is not demo', () => {
    for (const { name, about, options } of COMMANDS)
      for (const text of [about, ...Object.values(options).map((option) => option.about)])
        expect(text, name).to.match(/^[A-Zaj].*[^.]$/);
  });

  it('is shown whole by help', () => {
    const all = helpOfAll(COMMANDS);
    for (const command of COMMANDS) {
      expect(all).to.include(`  ${command.name} `).and.to.include(command.about);
      const help = helpOf(command);
      expect(help).to.include(command.example).and.to.include('--json');
      for (const option of Object.keys(command.options)) expect(help).to.include(`--${option}`);
      for (const line of help.split('\n')) expect(line.length, line).to.be.below(161);
    }
  });
});
