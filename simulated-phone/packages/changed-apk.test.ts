import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { runScript } from '../../testing/phone/run-script.js';
import { startPhone } from '../../testing/phone/start-phone.js';

const fixture = (name: string): Promise<Buffer> =>
  readFile(fileURLToPath(new URL(`../../../phone/apk/fixtures/${name}`, import.meta.url)));

/** The object id of RSA keys, in DER. */
const RSA_KEY = Buffer.from('06092a864886f70d010101', 'hex');

describe('installing an APK that was changed after it was signed', () => {
  let world: Awaited<ReturnType<typeof startPhone>>;
  beforeEach(async () => (world = await startPhone()));
  afterEach(() => world.stop());

  const install = async (stdin: Buffer): Promise<string> =>
    (await runScript(world.phone.machine, `cmd package install -S ${stdin.length}`, { stdin })).stdout;

  it('fails wherever the change is outside of the signatures', async () => {
    const signed = await fixture('fixture-v2.apk');
    // The block of signatures is not signed itself: a phone reads one of the signatures, and no padding.
    const end = signed.lastIndexOf('APK Sig Block 42') + 16;
    const begin = end - Number(signed.readBigUInt64LE(end - 24)) - 8;
    const places = Array.from({ length: 40 }, (_, at) => Math.floor((at * signed.length) / 40) + 7);
    for (const at of places.filter((place) => place < begin || place >= end)) {
      const changed = Buffer.from(signed);
      changed[at] = (changed[at] ?? 0) ^ 0x01;
      expect(await install(changed), `byte ${at} of ${signed.length}`).to.match(/^Failure \[INSTALL_/);
    }
    const otherKey = Buffer.from(signed);
    // The public key of every signer is changed, while the signed bytes stay as they were.
    for (let at = otherKey.indexOf(RSA_KEY, begin); at > 0 && at < end; at = otherKey.indexOf(RSA_KEY, at + 1)) otherKey[at + 30] = (otherKey[at + 30] ?? 0) ^ 0x01; // prettier-ignore
    expect(await install(otherKey)).to.match(/^Failure \[INSTALL_PARSE_FAILED_NO_CERTIFICATES: /);
    expect(world.phone.machine.packages.get('com.example.fixture')).to.equal(undefined);
    expect(await install(signed)).to.equal('Success\n');
  });
});
