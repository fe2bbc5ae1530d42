import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { until } from '../../testing/until.js';

describe('a service that is stopped during its start', () => {
  it('ends with status 0 and reports no failed start', async () => {
    const child = spawn(process.execPath, [
      fileURLToPath(new URL('../../testing/interrupted-start.js', import.meta.url)),
    ]);
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

describe('a service in which a failure is handled by nobody', () => {
  const run = (...words: string[]) =>
    spawn(process.execPath, [fileURLToPath(new URL('../../testing/rejecting-service.js', import.meta.url)), ...words]);

  it('goes on, logs it with its request, counts it, and stops as usual', async () => {
    const child = run();
    const [metrics, errors] = [textOf(child.stdout), textOf(child.stderr)];
    await until(() => metrics().includes('unhandled_rejections_total 1'));
    child.kill('SIGTERM');
    const [status] = (await once(child, 'close')) as [number | null];
    expect(status).to.equal(0);
    const line = errors()
      .split('\n')
      .find((one) => one.includes('was not handled'));
    const { level, request_id, err } = JSON.parse(line ?? '') as Record<string, unknown> & { err: { message: string } };
    expect({ level, request_id }).to.deep.equal({ level: 'error', request_id: 'req_unheard' });
    expect(err.message).to.contain('There was no response within');
  });

  it('ends where an exception is caught by nobody', async () => {
    const child = run('throw');
    const errors = textOf(child.stderr);
    const [status] = (await once(child, 'close')) as [number | null];
    expect(status).to.equal(1);
    expect(errors()).to.contain('thrown where nobody catches it');
  });
});

function textOf(stream: Readable): () => string {
  let text = '';
  stream.on('data', (chunk: Buffer) => (text += chunk.toString()));
  return () => text;
}
