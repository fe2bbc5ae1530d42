import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ESLint } from 'eslint';
import { expect } from 'chai';
import tseslint from 'typescript-eslint';

const RULE = 'cloudphone/begun-promises';

/** Each line of code, and what the rule says of it. */
const cases: [code: string, verdict: 'kept' | 'chained' | undefined][] = [
  ['const kept = work();', 'kept'],
  ['let kept: Promise<number> | undefined; kept ??= work().finally(done);', 'kept'],
  ['const parts = { ahead: work() };', 'kept'],
  ['const all = new Set([1].map(() => work()));', 'kept'],
  ['const parts = [work(), 2];', 'kept'],
  ['take(work());', 'kept'],
  ['const either = flag ? work() : undefined;', 'kept'],
  ['const failed = new Promise<void>((resolve, reject) => { timer(resolve, reject); });', 'kept'],
  ['const kept = client.get();', 'kept'],
  ['const kept = work().then(done, undefined);', 'kept'],
  ['void work().finally(done);', 'chained'],
  ['await work();', undefined],
  ['const value = await work();', undefined],
  ['const kept = begunAhead(work());', undefined],
  ['const kept = work().catch(done);', undefined],
  ['const kept = work().then(done, done).finally(done);', undefined],
  ['const [one, two] = await Promise.all([work(), work()]);', undefined],
  ['const outcomes = await Promise.allSettled([work()]);', undefined],
  ['const pause = new Promise<void>((resolve) => { timer(resolve); });', undefined],
  ['const earlier = kept.get("a");', undefined],
  ['handles(work());', undefined],
  ['const read = async () => work();', undefined],
];

const BEFORE = `declare function work(): Promise<number>;
declare function done(): void;
declare function take(work: Promise<unknown>): void;
declare function handles(work: Promise<unknown>): void;
declare function begunAhead<T>(work: Promise<T>): Promise<T>;
declare function timer(...run: (() => void)[]): void;
declare const flag: boolean;
declare const client: { get(): Promise<number> };
declare const kept: Map<string, Promise<number>>;
export async function test(): Promise<void> {
`;

describe('the lint rule begun-promises', function () {
  this.timeout(60_000);
  let folder: string;
  let eslint: ESLint;

  before(async () => {
    // Inside the checkout, where the compiler finds its libraries.
    folder = mkdtempSync(join(process.cwd(), 'dist', 'lint-'));
    writeFileSync(join(folder, 'tsconfig.json'), '{"compilerOptions": {"strict": true, "target": "es2023"}}');
    const path = new URL('../../../scripts/lint/begun-promises.js', import.meta.url).href;
    const { default: rule } = (await import(path)) as { default: never };
    eslint = new ESLint({
      cwd: folder,
      overrideConfigFile: true,
      overrideConfig: [
        {
          files: ['**/*.ts'],
          languageOptions: {
            parser: tseslint.parser,
            parserOptions: { project: './tsconfig.json', tsconfigRootDir: folder },
          },
          plugins: { cloudphone: { rules: { 'begun-promises': rule } } },
          rules: { [RULE]: ['error', { handlers: ['handles'] }] },
        },
      ],
    });
    for (const [at, [code]] of cases.entries()) writeFileSync(join(folder, `case-${at}.ts`), `${BEFORE}  ${code}\n}\n`);
  });

  after(() => rmSync(folder, { recursive: true }));

  for (const [at, [code, verdict]] of cases.entries()) {
    it(`${verdict === undefined ? 'accepts' : 'refuses'} ${code}`, async () => {
      const [result] = await eslint.lintFiles([`case-${at}.ts`]);
      const found = result?.messages.map(({ ruleId, messageId, message }) => (ruleId === RULE ? messageId : message));
      expect(found).to.deep.equal(verdict === undefined ? [] : [verdict]);
    });
  }
});
