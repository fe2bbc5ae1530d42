// Checks that the contract has not changed in a way that breaks callers. It is compared with the contract on main and that of the release
// before, whose services and clients run beside these during an upgrade. The third-party files are not in git, so each contract is laid out
// in a temporary folder beside a copy of them.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const { version, commit } = JSON.parse(readFileSync('deploy/release-before.json', 'utf8'));
const [base] = process.argv.slice(2);
if (base !== undefined) compareWith(base);
else {
  compareWith('main');
  if (isInClone(commit)) compareWith(commit);
  else
    console.log(`The contract is not compared with that of ${version}: this clone does not have the commit ${commit}.`);
}

function compareWith(tree) {
  const folder = mkdtempSync(join(tmpdir(), 'cloudphone-contract-'));
  try {
    const archive = execFileSync('git', ['archive', tree, 'proto', 'buf.yaml'], { maxBuffer: 64 * 1024 * 1024 });
    execFileSync('tar', ['-x', '-C', folder], { input: archive });
    cpSync('proto/deps', join(folder, 'proto', 'deps'), { recursive: true });
    execFileSync('npx', ['buf', 'breaking', '--against', folder], { stdio: 'inherit' });
  } catch (error) {
    if (error.status === undefined) throw error;
    console.error(`The contract breaks callers of ${tree === commit ? `the release ${version}` : tree}.`);
    process.exitCode = 1;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function isInClone(name) {
  try {
    execFileSync('git', ['cat-file', '-e', `${name}^{commit}`], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
