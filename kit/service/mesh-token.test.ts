import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { MESH_TOKEN_FILE, withKeptToken } from './mesh-token.js';

describe('the token that services of one machine make for themselves', () => {
  let dataDirectory: string;
  beforeEach(() => {
    dataDirectory = join(mkdtempSync(join(tmpdir(), 'cloudphone-token-')), 'data');
  });
  afterEach(() => rmSync(join(dataDirectory, '..'), { recursive: true }));

  const config = () => ({ meshToken: undefined as string | undefined, tls: undefined, dataDirectory });
  const path = () => join(dataDirectory, MESH_TOKEN_FILE);

  it('is in the data folder, for its owner only, and the same for all', () => {
    const { meshToken } = withKeptToken(config(), { make: true });
    expect(meshToken).to.match(/^[0-9a-f]{64}$/);
    expect(readFileSync(path(), 'utf8')).to.equal(`${meshToken}\n`);
    expect(statSync(path()).mode & 0o777).to.equal(0o600);
    for (const make of [true, false]) expect(withKeptToken(config(), { make }).meshToken).to.equal(meshToken);
    expect(readdirSync(dataDirectory)).to.deep.equal([MESH_TOKEN_FILE]);
  });

  it('is not made by a service alone, nor by the operator', () => {
    expect(withKeptToken(config(), { make: false })).to.deep.equal(config());
    mkdirSync(dataDirectory);
    expect(withKeptToken(config(), { make: false })).to.deep.equal(config());
    expect(readdirSync(dataDirectory)).to.deep.equal([]);
  });

  it('gives way to MESH_TOKEN and to certificates with an authority', () => {
    const configured = { ...config(), meshToken: 'configured' };
    expect(withKeptToken(configured, { make: true })).to.equal(configured);
    const certified = { ...config(), tls: { cert: 'c', key: 'k', ca: 'a' } };
    expect(withKeptToken(certified, { make: true })).to.equal(certified);
    expect(withKeptToken({ ...config(), tls: { cert: 'c', key: 'k' } }, { make: true }).meshToken).to.be.a('string');
  });
});
