import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { FakeClock } from '../../testing/fake-clock.js';
import { selfSigned } from '../../testing/self-signed.js';
import { until } from '../../testing/until.js';
import { httpsSettings, redirectSettings } from '../config/https-settings.js';
import { Settings } from '../config/settings.js';
import type { Log } from '../log/log.js';
import { ServerCertificate } from './server-certificate.js';

describe('the certificate of TLS_CERT and TLS_KEY', () => {
  let folder: string;
  let files: { certFile: string; keyFile: string };
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'cloudphone-cert-'));
    files = { certFile: join(folder, 'cert.pem'), keyFile: join(folder, 'key.pem') };
    write(selfSigned());
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  function write({ cert, key }: Partial<{ cert: string; key: string }>): void {
    if (cert !== undefined) replace(files.certFile, cert);
    if (key !== undefined) replace(files.keyFile, key);
  }

  /** Replaces a file in one step, as the programs that renew certificates do, so that no reader finds half of it. */
  function replace(file: string, text: string): void {
    writeFileSync(`${file}.new`, text);
    renameSync(`${file}.new`, file);
  }

  function faults(environment: Record<string, string>): string {
    const settings = new Settings(environment);
    redirectSettings(settings, httpsSettings(settings));
    try {
      settings.check();
      return '';
    } catch (error) {
      return (error as Error).message;
    }
  }

  it('is reported with its setting where it cannot be used', () => {
    const { certFile: TLS_CERT, keyFile: TLS_KEY } = files;
    expect(faults({ TLS_CERT, TLS_KEY, REDIRECT_PORT: '80' })).to.equal('');
    expect(faults({})).to.equal('');
    expect(faults({ TLS_CERT })).to.include('TLS_CERT and TLS_KEY go together');
    expect(faults({ TLS_KEY })).to.include('TLS_CERT and TLS_KEY go together');
    expect(faults({ REDIRECT_PORT: '80' })).to.include('needs TLS_CERT and TLS_KEY');
    expect(faults({ TLS_CERT, TLS_KEY, REDIRECT_PORT: 'x' })).to.include('REDIRECT_PORT="x" is not');
    expect(faults({ TLS_CERT, TLS_KEY: join(folder, 'no.pem') })).to.match(/TLS_KEY=".*no.pem" cannot be read: ENOENT/);
    expect(faults({ TLS_CERT: TLS_KEY, TLS_KEY: TLS_CERT }))
      .to.match(/TLS_CERT=".*key.pem" cannot be used: it is no certificate/)
      .and.match(/TLS_KEY=".*cert.pem" cannot be used: it is no private key/);
    write({ key: selfSigned().key });
    expect(faults({ TLS_CERT, TLS_KEY })).to.include('TLS_KEY is not the key of the certificate in TLS_CERT.');
  });

  it('stays the last good one while the files are no pair, and the reason is logged', async () => {
    const errors: string[] = [];
    const note = (first: object | string, text?: string): void => void errors.push(text ?? (first as string));
    const log = { info: () => undefined, debug: () => undefined, error: note } as unknown as Log;
    const clock = new FakeClock();
    const certificate = new ServerCertificate({ ...files, clock, log });
    const first = certificate.context.cert;
    const renewed = selfSigned();
    const passing = async (holds: () => boolean): Promise<void> =>
      until(async () => {
        await clock.pass(1_000);
        return holds();
      });

    write({ cert: renewed.cert });
    await passing(() => errors.length > 0);
    expect(errors).to.deep.equal([
      'TLS_KEY is not the key of the certificate in TLS_CERT.\n  The last good certificate stays in use.',
    ]);
    expect(certificate.context.cert).to.equal(first);

    write({ key: 'garbage' });
    await passing(() => errors.length > 1);
    expect(errors[1]).to.match(/^TLS_KEY .*key.pem cannot be used:\n {2}it is no private key in PEM/);
    expect(errors[1]).not.to.include('garbage');

    write({ key: renewed.key });
    await passing(() => certificate.context.cert === renewed.cert);
    expect(certificate.context.key).to.equal(renewed.key);
    expect(errors.length).to.equal(2);
    certificate.close();
  });
});
