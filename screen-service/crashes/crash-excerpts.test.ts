import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { parseThreadtime } from '../logs/parse-threadtime.js';
import { CrashParser } from './crash-parser.js';
import type { FoundCrash } from './found-crash.js';

/** A crash that is in an excerpt, and how many lines its trace has. */
type Expected = Pick<FoundCrash, 'kind' | 'process' | 'package' | 'reason'> & { lines: number };

const FOLDER = new URL('../../../screen-service/crashes/excerpts/', import.meta.url);

const utc = (month: number, day: number, ms: number): number => Date.UTC(2026, month - 1, day) + ms;

/** Excerpts of logs, written after the formats of each version of Android; each has its crashes beside it. */
const excerpts = readdirSync(FOLDER).flatMap((version) => {
  const folder = new URL(`${version}/`, FOLDER);
  const read = (name: string): string => readFileSync(fileURLToPath(new URL(name, folder)), 'utf8');
  return readdirSync(folder)
    .filter((file) => file.endsWith('.txt'))
    .map((file) => {
      const expected = JSON.parse(read(file.replace('.txt', '.json'))) as Expected[];
      return { name: `${version}/${file}`, text: read(file), expected };
    });
});

/** Returns all crashes in a log. Every line arrives `stepMs` after the one before. */
function crashesIn(text: string, stepMs: number): FoundCrash[] {
  const parser = new CrashParser();
  const found: FoundCrash[] = [];
  let nowMs = 0;
  for (const written of text.split('\n')) {
    const line = parseThreadtime(written, utc);
    if (line !== undefined) found.push(...parser.push(line, (nowMs += stepMs)));
  }
  return [...found, ...parser.takeComplete(nowMs + 5_000)];
}

const shown = ({ kind, process, package: name, reason, trace }: FoundCrash): Expected => ({
  ...{ kind, process, package: name, reason },
  lines: trace.split('\n').length,
});

describe('crashes in excerpts of logs', () => {
  it('has 60 excerpts of three versions, and some of each that tell of no crash', () => {
    expect(excerpts).to.have.lengthOf(60);
    for (const version of ['android-11', 'android-13', 'android-14']) {
      const some = excerpts.filter(({ name }) => name.startsWith(version));
      expect(some).to.have.lengthOf(20);
      expect(some.filter(({ expected }) => expected.length === 0)).to.have.lengthOf.at.least(8);
    }
  });

  for (const { name, text, expected } of excerpts)
    for (const stepMs of [0, 20])
      it(`finds those of ${name}${stepMs === 0 ? '' : ' that come slowly'}, and no other`, () => {
        const found = crashesIn(text, stepMs);
        // The one that died first is complete first.
        const byProcess = (a: Expected, b: Expected): number => a.process.localeCompare(b.process);
        expect(found.map(shown).toSorted(byProcess)).to.deep.equal(expected.toSorted(byProcess));
        for (const { trace, atMs } of found) {
          expect(text).to.contain(trace.split('\n').at(-1));
          expect(atMs).to.be.within(utc(1, 1, 0), utc(12, 31, 0));
        }
      });

  it('finds the same crashes where the excerpts of a version follow one another in one log', () => {
    for (const version of ['android-11', 'android-13', 'android-14']) {
      const some = excerpts.filter(({ name }) => name.startsWith(version));
      const found = crashesIn(some.map(({ text }) => text).join(''), 1).map(({ reason }) => reason);
      expect(found.toSorted()).to.deep.equal(
        some.flatMap(({ expected }) => expected.map(({ reason }) => reason)).toSorted(),
      );
    }
  });
});
