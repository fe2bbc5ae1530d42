import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { systemClock } from '../../../kit/async/clock.js';
import { AppReader } from '../../../phone/apk/app-reader.js';
import type { PhoneLink } from '../../../phone/link/phone-link.js';
import { refusalOf } from '../../../testing/phone/apk-refusal.js';
import { readForPhone } from './read-for-phone.js';

const fixture = (name: string): string =>
  fileURLToPath(new URL(`../../../../phone/apk/fixtures/${name}`, import.meta.url));

const TRAITS = `sdk=34
codename=REL
abis=x86_64
Physical density: 320
locale=en-US`;

describe('an app that is read for a phone', () => {
  let folder: string;
  let reader: AppReader;
  /** How many links were opened, and are open. */
  let links: { opened: number; open: number };
  let output: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'read-for-phone-'));
    reader = new AppReader({ clock: systemClock });
    links = { opened: 0, open: 0 };
    output = TRAITS;
  });
  afterEach(async () => {
    await reader.close();
    await rm(folder, { recursive: true });
  });

  function openLink(): Promise<PhoneLink> {
    links.opened++;
    links.open++;
    const link: Pick<PhoneLink, 'shell' | 'close'> = {
      shell: async () => ({ stdout: Buffer.from(output), stderr: Buffer.alloc(0), exitCode: 0 }),
      close: () => {
        links.open--;
      },
    };
    return Promise.resolve(link as PhoneLink);
  }
  const read = (name: string) =>
    readForPhone({ appReader: reader, openLink }, fixture(name), {
      ...{ endpoint: { host: '127.0.0.1', port: 1, identity: { kind: 'serial', serial: 'a' } } as never },
      ...{ signal: new AbortController().signal, unpackTo: join(folder, 'unpacked') },
    });

  it('is read without the phone when it is a lone APK', async () => {
    expect((await read('fixture-v2.apk')).parts.map(({ name }) => name)).to.deep.equal(['base.apk']);
    expect((await refusalOf(read('make-fixtures.sh'))).code).to.equal('INSTALL_PARSE_FAILED_NOT_APK');
    expect(links).to.deep.equal({ opened: 0, open: 0 });
  });

  it('has the APKs for the phone when it is a bundle', async () => {
    expect((await read('app.apks')).parts.map(({ file }) => file)).to.have.members([
      'splits/base-master_3.apk',
      'splits/base-x86_64_2.apk',
      'splits/base-xhdpi.apk',
    ]);
    expect(links).to.deep.equal({ opened: 1, open: 0 });
  });

  it('is not read when it is a bundle and the phone does not say what it is', async () => {
    output = 'sdk=34';
    const refused: unknown = await read('app.apks').catch((error: unknown) => error);
    expect(refused).to.include({ kind: 'unavailable' });
    expect(links.open).to.equal(0);
  });
});
