import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect } from 'chai';
import { meshSettings } from './rpc-settings.js';
import { Settings } from './settings.js';

const dataDirectory = resolve('./data');
const MESH_TOKEN = 'a-token-of-32-characters-for-tests';

describe('the settings of gRPC', () => {
  let folder: string;
  const files: Record<string, string> = {};
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'rpc-settings-'));
    for (const name of ['CERT', 'KEY', 'CA']) {
      files[`GRPC_TLS_${name}`] = join(folder, name);
      writeFileSync(join(folder, name), name.toLowerCase());
    }
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  const read = (environment: Record<string, string | undefined>) => {
    const settings = new Settings(environment);
    const config = meshSettings(settings);
    settings.check();
    return config;
  };

  it('are the token alone, or nothing', () => {
    expect(read({})).to.deep.equal({ meshToken: undefined, tls: undefined, dataDirectory });
    expect(read({ MESH_TOKEN })).to.deep.equal({ meshToken: MESH_TOKEN, tls: undefined, dataDirectory });
  });

  it('may have two tokens, both of them long enough', () => {
    const two = `${MESH_TOKEN}, ${MESH_TOKEN}2`;
    expect(read({ MESH_TOKEN: two }).meshToken).to.equal(two);
    expect(() => read({ MESH_TOKEN: `${MESH_TOKEN},short` })).to.throw('fewer than 32 characters');
    expect(() => read({ MESH_TOKEN: `${two},${MESH_TOKEN}3` })).to.throw('more than two tokens');
    expect(() => read({ MESH_TOKEN: `${MESH_TOKEN},` })).to.throw('fewer than 32 characters');
  });

  it('are certificates in place of the token when there is an authority', () => {
    const { GRPC_TLS_CA, ...own } = files;
    expect(read({ ...own, MESH_TOKEN })).to.deep.equal({
      meshToken: MESH_TOKEN,
      tls: { cert: 'cert', key: 'key' },
      dataDirectory,
    });
    expect(read({ ...own, GRPC_TLS_CA, MESH_TOKEN })).to.deep.equal({
      meshToken: undefined,
      tls: { cert: 'cert', key: 'key', ca: 'ca' },
      dataDirectory,
    });
  });

  it('name missing files, and those that cannot be read', () => {
    expect(() => read({ GRPC_TLS_CERT: files['GRPC_TLS_CERT'] })).to.throw(
      'GRPC_TLS_CERT and GRPC_TLS_KEY go together',
    );
    expect(() => read({ GRPC_TLS_CA: files['GRPC_TLS_CA'] })).to.throw('GRPC_TLS_CA needs both');
    expect(() => read({ ...files, GRPC_TLS_KEY: join(folder, 'no') })).to.throw('cannot be read: ENOENT');
  });
});
