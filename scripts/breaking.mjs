// Checks that the contract has not changed in a way that breaks callers, against the contract on main. The third-party files are
// not in git, so main's contract is laid out in a temporary folder beside a copy of them.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const base = process.argv[2] ?? 'main';
const folder = mkdtempSync(join(tmpdir(), 'cloudphone-contract-'));
try {
  const archive = execFileSync('git', ['archive', base, 'proto', 'buf.yaml'], { maxBuffer: 64 * 1024 * 1024 });
  execFileSync('tar', ['-x', '-C', folder], { input: archive });
  cpSync('proto/deps', join(folder, 'proto', 'deps'), { recursive: true });
  execFileSync('npx', ['buf', 'breaking', '--against', folder], { stdio: 'inherit' });
} catch (error) {
  if (error.status === undefined) throw error;
  process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
