import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';

describe('a service that is stopped during its start', () => {
  it('ends with status 0 and reports no failed start', async () => {
    const child = spawn(process.execPath, [fileURLToPath(new URL('../testing/interrupted-start.js', import.meta.url))]);
    let errors = '';
    child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()));
    await once(child.stdout, 'data');
    child.kill('SIGTERM');
    const [status] = (await once(child, 'close')) as [number | null];
    expect(status).to.equal(0);
    expect(errors.trim().split('\n')).to.have.length(1);
    expect(errors).to.contain('stopping');
  });
});
