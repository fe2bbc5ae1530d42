import { expect } from 'chai';
import { CommandError } from '../values/command-error.js';
import { GroupCommit } from './group-commit.js';

describe('GroupCommit', () => {
  /** Commits lists of words; a list with `unlucky` in it does not get to disk, as when that is full. */
  function onDisk(): { commits: GroupCommit<string[]>; disk: string[][] } {
    const disk: string[][] = [];
    const commits = new GroupCommit<string[]>((batch) => {
      const words: string[] = [];
      batch(words);
      if (words.includes('unlucky')) throw new Error('disk full');
      disk.push(words);
    });
    return { commits, disk };
  }

  const write =
    (word: string) =>
    (words: string[]): number =>
      words.push(word);

  it('commits writes together that were submitted together, in order', async () => {
    const { commits, disk } = onDisk();
    expect(await Promise.all(['a', 'b', 'c'].map((word) => commits.submit(write(word))))).to.deep.equal([1, 2, 3]);
    await commits.submit(write('d'));
    expect(disk).to.deep.equal([['a', 'b', 'c'], ['d']]);
  });

  it('reports success only once it is committed', async () => {
    const { commits, disk } = onDisk();
    const seen = commits.submit(write('a')).then(() => [...disk]);
    expect(disk).to.deep.equal([]);
    expect(await seen).to.deep.equal([['a']]);
  });

  it('fails only the one at fault when a group fails', async () => {
    const { commits, disk } = onDisk();
    const results = await Promise.allSettled(['a', 'unlucky', 'c'].map((word) => commits.submit(write(word))));
    expect(results.map(({ status }) => status)).to.deep.equal(['fulfilled', 'rejected', 'fulfilled']);
    expect(disk).to.deep.equal([['a'], ['c']]);
  });

  it('keeps the writes of a command before its refusal, and reports it after the commit', async () => {
    const { commits, disk } = onDisk();
    const refused = commits.submit((words) => {
      words.push('before');
      throw new CommandError('BadValue', 'no');
    });
    const results = await Promise.allSettled([refused, commits.submit(write('after'))]);
    expect(results.map(({ status }) => status)).to.deep.equal(['rejected', 'fulfilled']);
    expect(disk).to.deep.equal([['before', 'after']]);
  });

  it('is idle once everything is written', async () => {
    const { commits, disk } = onDisk();
    void commits.submit(write('a'));
    void commits.submit(write('b'));
    await commits.idle();
    expect(disk).to.deep.equal([['a', 'b']]);
    await commits.idle();
  });
});
