import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { readAdminConfig, readDatabasePlace } from '../../admin/config.js';
import { readDeviceConfig } from '../../device-service/config.js';
import { readGatewayConfig } from '../../gateway/config.js';
import type { OpsConfig } from '../../kit/config/process-settings.js';
import { readRelayConfig } from '../../relay-service/config.js';
import { readScreenConfig } from '../../screen-service/config.js';
import { readStartConfig } from '../../start/config.js';
import { readWebhookConfig } from '../../webhook-service/config.js';

const services: [
  name: string,
  read: (env: NodeJS.ProcessEnv, isTerminal: boolean) => OpsConfig,
  own: string,
  usual: number,
][] = [
  ['npm start', readStartConfig, 'PORT', 7010],
  ['the gateway', readGatewayConfig, 'PORT', 7010],
  ['the device service', readDeviceConfig, 'DEVICE_GRPC_PORT', 7011],
  ['the screen service', readScreenConfig, 'SCREEN_GRPC_PORT', 7012],
  ['the relay service', readRelayConfig, 'RELAY_GRPC_PORT', 7013],
  ['the webhook service', readWebhookConfig, 'WEBHOOK_GRPC_PORT', 7014],
];
const MONGODB_URL = 'mongodb://127.0.0.1';

describe('where the ops port is', () => {
  for (const [name, read, own, usual] of services) {
    it(`by default for ${name}: ${usual} on loopback, and a free one where ${own} is 0`, () => {
      const { ops, stopDelayMs } = read({ MONGODB_URL }, false);
      expect({ ...ops, stopDelayMs }).to.include({ host: '127.0.0.1', port: usual, stopDelayMs: 0 });
      expect(read({ MONGODB_URL, [own]: '0' }, false).ops.port).to.equal(0);
      expect(read({ MONGODB_URL, [own]: '0', OPS_PORT: '9100' }, false).ops.port).to.equal(9100);
    });

    it(`as ${name} is reported`, () => {
      const environment = { MONGODB_URL, OPS_HOST: '10.0.0.1', OPS_PORT: '0', STOP_DELAY_MS: '5000' };
      const { ops, stopDelayMs } = read(environment, false);
      expect({ ...ops, stopDelayMs }).to.include({ host: '10.0.0.1', port: 0, stopDelayMs: 5000 });
      expect(() => read({ MONGODB_URL, OPS_PORT: '70000', STOP_DELAY_MS: '-1' }, false)).to.throw(
        /OPS_PORT="70000" is not a whole number from 0 to 65535\n +STOP_DELAY_MS="-1" is not/,
      );
    });
  }
});

describe('the hosts that requests may name', () => {
  for (const [name, read, own] of services) {
    it(`are those of ${name}, of PUBLIC_URL and of ALLOWED_HOSTS`, () => {
      const environment = { MONGODB_URL, PUBLIC_URL: 'https://phones.example.com', OPS_HOST: 'ops.internal' };
      const { hosts } = read({ ...environment, ALLOWED_HOSTS: 'a.internal, B.internal' }, false).ops;
      for (const host of [
        'phones.example.com',
        'ops.internal',
        'a.internal',
        'b.internal:9100',
        'localhost',
        '[::1]',
      ]) {
        expect(hosts.has(host), host).to.equal(true);
      }
      expect(hosts.has('evil.example')).to.equal(false);
      expect(() => read({ ...environment, [own]: '0', ALLOWED_HOSTS: 'https://a.internal' }, false)).to.throw(
        'ALLOWED_HOSTS: "https://a.internal" is not a host name such as phones.internal',
      );
    });
  }
});

describe('the secrets of services', () => {
  let folder: string;
  before(() => (folder = mkdtempSync(join(tmpdir(), 'secrets-'))));
  after(() => rmSync(folder, { recursive: true, force: true }));

  const secrets = {
    MONGODB_URL: 'mongodb://user:password@database',
    MESH_TOKEN: 'a-token-of-32-characters-for-tests',
    SECRETS_KEY: 'a5'.repeat(32),
    STRIPE_SECRET_KEY: 'sk_test_1',
    STRIPE_WEBHOOK_SECRET: 'whsec_1',
    SMTP_URL: 'smtps://user:password@mail.example.com',
  };
  const plain = { MAIL_FROM: 'phones@example.com', PUBLIC_URL: 'https://phones.example.com' };
  const inFiles = (): Record<string, string> =>
    Object.fromEntries(
      Object.entries(secrets).map(([name, secret]) => {
        const path = join(folder, name);
        writeFileSync(path, `${secret}\n`);
        return [`${name}_FILE`, path];
      }),
    );

  for (const [name, read] of services) {
    it(`are read from files by ${name} too`, () => {
      const fromFiles = read({ ...plain, ...inFiles() }, false);
      expect(fromFiles).to.have.property('meshToken', secrets.MESH_TOKEN);
      // The rest of the environment is kept for the processes of simulated phones.
      const withoutEnvironment = (config: OpsConfig): string =>
        JSON.stringify(config, (key, value: unknown) =>
          // The file is named beside its content, as its login is followed.
          key === 'environment' || key === 'mongodbUrlFile' ? undefined : value,
        );
      expect(withoutEnvironment(fromFiles)).to.equal(withoutEnvironment(read({ ...plain, ...secrets }, false)));
    });
  }

  it('are read from files by the admin command too', () => {
    const DEVICE_SERVICE_URL = 'http://127.0.0.1:7001';
    expect(readAdminConfig({ ...inFiles(), DEVICE_SERVICE_URL }).meshToken).to.equal(secrets.MESH_TOKEN);
    expect(readDatabasePlace(inFiles()).mongodb?.url).to.equal(secrets.MONGODB_URL);
    expect(() => readDatabasePlace({ MONGODB_URL_FILE: join(folder, 'missing') })).to.throw('cannot be read: ENOENT');
  });
});
