import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { parse } from 'yaml';
import { programs } from '../../deploy/entrypoint/programs.js';
import { readDeviceConfig } from '../../device-service/config.js';
import { readGatewayConfig } from '../../gateway/config.js';
import { readRelayConfig } from '../../relay-service/config.js';
import { readScreenConfig } from '../../screen-service/config.js';
import { readStartConfig } from '../../start/config.js';
import { readStatusConfig } from '../../status-service/config.js';
import { isInstalled } from '../../testing/is-installed.js';
import { skip } from '../../testing/skip.js';
import { readWebhookConfig } from '../../webhook-service/config.js';

const ROOT = new URL('../../../', import.meta.url);

interface Service {
  image: string;
  command?: string[];
  environment: Record<string, string>;
  secrets?: string[];
  networks?: string[];
  ports?: string[];
  pids_limit?: number;
  profiles?: string[];
}

interface Compose {
  services: Record<string, Service>;
  secrets: Record<string, { file: string }>;
  networks: Record<string, { internal?: boolean } | null>;
}

const READERS = {
  ...{ start: readStartConfig, gateway: readGatewayConfig, device: readDeviceConfig, screen: readScreenConfig },
  ...{ relay: readRelayConfig, webhook: readWebhookConfig, status: readStatusConfig },
};

/** A file of deploy/ with its anchors merged and its variables replaced. */
function readCompose(name: string): Compose {
  const text = readFileSync(new URL(`deploy/${name}`, ROOT), 'utf8');
  const replaced = text
    .replaceAll(/\$\{DOMAIN(:\?[^}]*)?\}/g, 'phones.example.com')
    .replaceAll(/\$\{\w+:-([^}]*)\}/g, '$1');
  return parse(replaced, { merge: true }) as Compose;
}

/** Returns the services with our own image, by name. */
function ownServices({ services }: Compose): [string, Service][] {
  return Object.entries(services).filter(([, { image }]) => image === 'cloudphone');
}

describe('the compose files', () => {
  const [whole, development] = [readCompose('compose.yaml'), readCompose('compose.dev.yaml')];
  let folder: string;

  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'compose-'));
    cpSync(new URL('deploy/new-secrets.sh', ROOT), join(folder, 'new-secrets.sh'));
    execFileSync('sh', [join(folder, 'new-secrets.sh')]);
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  const secretsOf = (): [string, string][] =>
    readdirSync(join(folder, 'secrets')).map((name) => [name, readFileSync(join(folder, 'secrets', name), 'utf8')]);

  it('bound the processes of every container', () => {
    for (const { services } of [whole, development])
      for (const [name, { pids_limit: most }] of Object.entries(services))
        expect(most, name).to.be.a('number').that.is.within(256, 4096);
  });

  it('run each service on its own, and two gateways', () => {
    const started = ownServices(whole).filter(([, { profiles }]) => profiles === undefined);
    const commands = started.map(([, { command }]) => command?.join(' '));
    const known = [...programs.keys()].filter((name) => !['start', 'admin', 'live', 'gate', 'copy'].includes(name));
    expect(commands.sort()).to.deep.equal([...known, 'gateway'].sort());
  });

  it('take all rights from our containers', () => {
    for (const [name, service] of [...ownServices(whole), ...ownServices(development)])
      expect(service, name).to.deep.include({
        read_only: true,
        cap_drop: ['ALL'],
        security_opt: ['no-new-privileges:true'],
        init: true,
      });
  });

  it('give services settings that exist and can be used, and the secrets that these name', () => {
    const table = readFileSync(new URL('docs/settings.md', ROOT), 'utf8');
    for (const [name, { command: [word = 'start'] = [], environment, secrets = [] }] of [
      ...ownServices(whole),
      ...ownServices(development),
    ]) {
      const files = Object.keys(environment).filter((setting) => setting.endsWith('_FILE'));
      expect(files.map((setting) => environment[setting]), name).to.have.members(secrets.map((one) => `/run/secrets/${one}`)); // prettier-ignore
      for (const setting of Object.keys(environment)) expect(table, `${name}: ${setting}`).to.contain(`\`${setting}\``);
      if (word === 'admin') continue;
      const here = Object.fromEntries(
        Object.entries(environment).map(([key, value]) => [key, value.replace('/run/secrets', join(folder, 'secrets'))]), // prettier-ignore
      );
      const config = READERS[word as keyof typeof READERS](here, false);
      expect(config.ops.host, name).to.equal(word === 'start' ? '127.0.0.1' : '0.0.0.0');
      // Beyond loopback, as the other containers reach it.
      expect(config.host, name).to.equal('0.0.0.0');
    }
  });

  it('publish only what customers use, and leave the database no way out', () => {
    const published = Object.entries(whole.services).flatMap(([name, { ports = [] }]) => ports.map((port) => `${name} ${port}`)); // prettier-ignore
    expect(published).to.have.members(['caddy 80:80', 'caddy 443:443', 'relay 6500-6599:6500-6599']);
    expect(whole.services['mongo']?.networks).to.deep.equal(['database']);
    expect(whole.networks['database']).to.deep.equal({ internal: true });
    for (const port of development.services['cloudphone']?.ports ?? []) expect(port).to.match(/^127\.0\.0\.1:/);
  });

  it('have a file for Caddy that it accepts', function () {
    if (!isInstalled('caddy')) skip(this, 'needs the program caddy (Debian package caddy)');
    const words = ['validate', '--adapter', 'caddyfile', '--config', fileURLToPath(new URL('deploy/Caddyfile', ROOT))];
    const env = { ...process.env, DOMAIN: 'phones.example.com', XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder };
    execFileSync('caddy', words, { env, stdio: 'pipe' });
  });

  it('name the secrets that new-secrets.sh makes, which stay as they are when it is run again', () => {
    const made = secretsOf();
    expect(made.map(([name]) => `./secrets/${name}`)).to.have.members(Object.values(whole.secrets).map(({ file }) => file)); // prettier-ignore
    expect(new Set(made.map(([, text]) => text)).size).to.equal(made.length);
    expect(statSync(join(folder, 'secrets')).mode & 0o777).to.equal(0o700);
    execFileSync('sh', [join(folder, 'new-secrets.sh')]);
    expect(secretsOf()).to.deep.equal(made);
  });
});
