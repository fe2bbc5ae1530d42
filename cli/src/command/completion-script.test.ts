import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { COMMANDS } from '../table/commands.js';
import { completionScript } from './completion-script.js';

describe('completion', () => {
  let folder: string;
  before(() => (folder = mkdtempSync(join(tmpdir(), 'cloudphone-completion-'))));
  after(() => rmSync(folder, { recursive: true, force: true }));

  /** Returns what bash completes the last of the words to. */
  function completed(...words: string[]): string[] {
    const script = join(folder, 'completion.bash');
    writeFileSync(script, completionScript('bash', COMMANDS));
    const line = `cloudphone() { printf 'demo\\ndelta\\n'; }; source ${script}
COMP_WORDS=(cloudphone ${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length}; _cloudphone; printf '%s\\n' "\${COMPREPLY[@]}"`;
    return execFileSync('bash', ['--norc', '-c', line], { encoding: 'utf8', cwd: folder }).split('\n').filter(Boolean);
  }

  it('completes commands in bash', () => {
    expect(completed('sna')).to.deep.equal(['snapshots', 'snapshot']);
    expect(completed('')).to.include.members(COMMANDS.map(({ name }) => name.split(' ')[0]));
  });

  it('completes names of phones where a command has one, and only there', () => {
    expect(completed('show', 'de')).to.deep.equal(['demo', 'delta']);
    expect(completed('show', 'dem')).to.deep.equal(['demo']);
    expect(completed('stop', 'demo', 'del')).to.deep.equal(['delta']);
    expect(completed('restore', 'demo', 'd')).to.deep.equal([]);
    expect(completed('run', '--device', 'dem')).to.deep.equal(['demo']);
  });

  it('completes names of two words, and what follows them', () => {
    expect(completed('poo')).to.deep.equal(['pool', 'pools']);
    expect(completed('pool', '')).to.deep.equal(['put', 'get', 'delete']);
    expect(completed('pool', 'put', 'ci', '--rea')).to.deep.equal(['--ready']);
    expect(completed('pool', 'get', 'ci', '--rea')).to.deep.equal([]);
    expect(completed('lease', '')).to.deep.equal(['renew', 'end', 'demo', 'delta']);
    expect(completed('lease', 'de')).to.deep.equal(['demo', 'delta']);
    expect(completed('lease', 'end', 'de')).to.deep.equal([]);
    expect(completed('lease', 'demo', '--at-end', 'k')).to.deep.equal(['keep']);
  });

  it('completes options, and their words', () => {
    expect(completed('list', '--st')).to.deep.equal(['--state']);
    expect(completed('list', '--state', 'st')).to.deep.equal(['stopped', 'starting', 'stopping']);
    expect(completed('completion', 'z')).to.deep.equal(['zsh']);
  });

  it('completes files', () => {
    writeFileSync(join(folder, 'app.apk'), '');
    expect(completed('push', 'demo', 'ap')).to.deep.equal(['app.apk']);
  });

  it('names every command and option for fish and zsh', () => {
    for (const shell of ['fish', 'zsh'] as const) {
      const script = completionScript(shell, COMMANDS);
      for (const { name, options } of COMMANDS) {
        for (const word of name.split(' ')) expect(script, shell).to.include(word);
        for (const option of Object.keys(options)) expect(script, `${shell} ${name}`).to.include(option);
      }
    }
    expect(completionScript('zsh', COMMANDS)).to.match(/^#compdef cloudphone\n/);
  });
});
