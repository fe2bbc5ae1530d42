// Lints all files, in two processes at once: the folders that have a tsconfig.json of their own, and everything else.
//
// A process makes each TypeScript program that its files belong to, which costs more than the rules. `eslint --concurrency 2` deals the files
// out at random, so that both of its processes make all programs, and take twice as long.
import { spawn } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

const own = readdirSync('.').filter((name) =>
  ['tsconfig.json', 'src/tsconfig.json'].some((file) => existsSync(join(name, file))),
);

function eslint(words) {
  const child = spawn(process.execPath, ['node_modules/eslint/bin/eslint.js', '--concurrency', 'off', ...words], {
    stdio: 'inherit',
  });
  return new Promise((resolve, reject) => child.once('error', reject).once('close', (status) => resolve(status === 0)));
}

const passed = await Promise.all([
  eslint(own),
  eslint(['.', ...own.flatMap((folder) => ['--ignore-pattern', `${folder}/`])]),
]);
process.exitCode = passed.every(Boolean) ? 0 : 1;
