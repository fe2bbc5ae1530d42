// Refuses sentences of Markdown files and of comments in .proto files that a reader has to read twice; eslint does so for programs.
// Refuses names in docs/paths.md that lead nowhere.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { documentFaults } from './lint/document-faults.js';
import { pathFaults } from './lint/path-faults.js';
import { UNFINISHED } from './lint/unfinished.js';

const PATHS = 'docs/paths.md';

const read = (path) => readFileSync(path, 'utf8');
const listed = execFileSync('git', ['ls-files', '--deduplicate', '*.ts', '*.md', '*.proto'], { encoding: 'utf8' });
const files = listed.trim().split('\n');
const sentences = files
  .filter((path) => /\.(md|proto)$/.test(path) && !UNFINISHED.some((unfinished) => path.startsWith(unfinished)))
  .flatMap((path) => documentFaults(path, read(path)).map((found) => ({ path, ...found })));
const product = files.filter((path) => !path.endsWith('.test.ts'));
const names = pathFaults(read(PATHS), product, read).map(({ name, ...found }) => ({
  path: PATHS,
  ...found,
  sentence: name,
}));
const faults = [...sentences, ...names];
for (const { path, line, fault, sentence } of faults) console.error(`${path}:${line}: ${fault}: "${sentence}"`);
if (faults.length > 0) process.exitCode = 1;
