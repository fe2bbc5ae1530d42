import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { freePort } from './free-port.js';
import { isInstalled } from './is-installed.js';
import { skip } from './skip.js';

const run = promisify(execFile);

describe('a free port for a test', function () {
  const table = `cloudphone_test_${process.pid}`;

  before(function () {
    if (process.getuid?.() !== 0 || !isInstalled('nft')) skip(this, 'needs root and nft (Debian package nftables)');
  });
  afterEach(async () => {
    await run('nft', ['delete', 'table', 'ip', table]);
  });

  it('is none whose connections the kernel sends elsewhere', async () => {
    const redirected = (await freePort()) + 1;
    // A killed container engine leaves such rules behind.
    const hook = '{ type nat hook output priority -150; }';
    const rule = `tcp dport ${redirected} dnat to 127.0.0.1:9`;
    await run('nft', [
      `add table ip ${table}; add chain ip ${table} output ${hook}; add rule ip ${table} output ${rule}`,
    ]);
    expect(await freePort()).to.be.greaterThan(redirected);
  });
});
