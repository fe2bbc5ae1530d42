import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { verify } from '../../docs/webhooks/verify.js';
import { sign } from '../../webhook-service/sending/sign.js';
import { skip } from '../../testing/skip.js';

interface Vector {
  what: string;
  api_key: string;
  secret: string;
  body: string;
  signature: string;
}

/** Beside the sources, of which dist/ has compiled files only. */
const folder = fileURLToPath(new URL('../../../docs/webhooks/', import.meta.url));
const vectors = JSON.parse(readFileSync(`${folder}vectors.json`, 'utf8')) as Vector[];

/** Requests that a receiver must not take for genuine. */
function forgeries({ body, signature, api_key }: Vector): [body: string, signature: string, key: string][] {
  return [
    [`${body} `, signature, api_key],
    [body, signature.toUpperCase(), api_key],
    [body, `${signature}00`, api_key],
    [body, `${signature.slice(0, -1)}${signature.endsWith('0') ? '1' : '0'}`, api_key],
    [body, '', api_key],
    [body, signature, `${api_key}x`],
  ];
}

describe('the signature of webhooks', () => {
  it('is that of the vectors in the documentation', () => {
    for (const { what, secret, body, signature } of vectors) {
      expect(sign(Buffer.from(body, 'utf8'), secret), what).to.equal(signature);
    }
  });

  it('is in the guide as it is in the vectors', () => {
    const guide = readFileSync(`${folder}../webhooks.md`, 'utf8');
    const [first] = vectors;
    for (const text of [first!.api_key, first!.secret, first!.body, first!.signature]) expect(guide).to.contain(text);
  });

  it('is checked by the TypeScript sample', () => {
    for (const vector of vectors) {
      expect(verify(Buffer.from(vector.body, 'utf8'), vector.signature, vector.api_key)).to.equal(true);
      for (const [body, signature, key] of forgeries(vector)) {
        expect(verify(Buffer.from(body, 'utf8'), signature, key)).to.equal(false);
      }
      expect(verify(Buffer.from(vector.body, 'utf8'), undefined, vector.api_key)).to.equal(false);
    }
  });

  const built = mkdtempSync(join(tmpdir(), 'cloudphone-verify-'));
  after(() => rmSync(built, { recursive: true, force: true }));

  for (const [language, program, needs] of [
    ['Python', ['python3', `${folder}verify.py`], ['python3', '--version']],
    ['shell', ['sh', `${folder}verify.sh`], ['openssl', 'version']],
    ['Go', [join(built, 'verify')], ['go', 'version']],
  ] as const) {
    it(`is checked by the ${language} sample`, function () {
      // A compiler runs, on machines that do other things too.
      this.timeout(300_000);
      if (spawnSync(needs[0], [needs[1]]).status !== 0) skip(this, `needs the program ${needs[0]}`);
      if (language === 'Go') {
        const { status, stderr } = spawnSync('go', ['build', '-o', built, `${folder}verify.go`]);
        expect(status, stderr.toString()).to.equal(0);
      }
      const [command, ...words] = program;
      const status = (body: string, signature: string, key: string): number | null =>
        spawnSync(command, [...words, signature], { input: body, env: { ...process.env, CLOUDPHONE_KEY: key } }).status;
      for (const vector of vectors) {
        expect(status(vector.body, vector.signature, vector.api_key), vector.what).to.equal(0);
      }
      for (const [body, signature, key] of forgeries(vectors[0]!)) expect(status(body, signature, key)).to.equal(1);
    });
  }
});
