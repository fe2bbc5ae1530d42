import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { freePort } from '../../testing/free-port.js';
import { selfSigned } from '../../testing/self-signed.js';
import { until } from '../../testing/until.js';

const GUIDE = new URL('../../../docs/tls.md', import.meta.url);

/** nginx's own limits of silence, s. */
const SILENCE_S = 60;

/** A proxy that runs with the file of docs/tls.md. */
export interface DocumentedProxy {
  httpsPort: number;
  httpPort: number;
  close(): Promise<void>;
}

export type ProxyKind = 'caddy' | 'nginx';

/** Returns the port at which the proxy `kind` will serve https, so that the service behind it can be started with its URL. */
export type Ports = Pick<DocumentedProxy, 'httpsPort' | 'httpPort'>;

export async function proxyPorts(): Promise<Ports> {
  return { httpsPort: await freePort(), httpPort: await freePort() };
}

export interface ProxyOptions extends Ports {
  /** For its files. */
  folder: string;
  /** Where the service listens. */
  upstreamPort: number;
  /**
   * Divides every time in nginx's file, and nginx's own limits of silence, so that a test sees their effect within seconds.
   */
  timesDividedBy?: number;
}

/** Starts the Debian package's program. Only the name, ports and certificate in the file are others. Throws where it refuses the file. */
export async function startDocumentedProxy(kind: ProxyKind, options: ProxyOptions): Promise<DocumentedProxy> {
  const { folder, httpsPort, httpPort } = options;
  mkdirSync(folder, { recursive: true });
  const { cert, key } = selfSigned();
  writeFileSync(join(folder, 'cert.pem'), cert);
  writeFileSync(join(folder, 'key.pem'), key);
  const file = join(folder, 'config');
  const guide = blockOf(kind).replaceAll('127.0.0.1:8080', `127.0.0.1:${options.upstreamPort}`);
  writeFileSync(file, kind === 'caddy' ? caddyfile(guide, options) : nginxFile(guide, options));
  const words =
    kind === 'caddy'
      ? ['caddy', 'run', '--adapter', 'caddyfile', '--config', file]
      : ['nginx', '-p', folder, '-c', file, '-e', join(folder, 'error.log')];
  const [program = '', ...rest] = words;
  const own = { XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder, HOME: folder };
  const child = spawn(program, rest, { env: { ...process.env, ...own }, stdio: ['ignore', 'ignore', 'pipe'] });
  let log = '';
  child.stderr.on('data', (chunk: Buffer) => (log = (log + chunk.toString()).slice(-4_000)));
  await once(child, 'spawn');
  await until(async () => child.exitCode !== null || ((await listens(httpsPort)) && (await listens(httpPort))), 30_000);
  if (child.exitCode !== null) throw new Error(`${kind} does not start with the file of docs/tls.md: ${log}`);
  return { httpsPort, httpPort, close: () => end(child) };
}

function blockOf(kind: ProxyKind): string {
  const language = kind === 'caddy' ? 'caddyfile' : 'nginx';
  const block = new RegExp(`^\`\`\`${language}\n([^]*?)^\`\`\`$`, 'm').exec(readFileSync(GUIDE, 'utf8'))?.[1];
  if (block === undefined) throw new Error(`docs/tls.md has no file for ${kind}`);
  return block;
}

/** A certificate that is there takes the place of one that Caddy would get. */
function caddyfile(guide: string, { folder, httpsPort, httpPort }: ProxyOptions): string {
  const certificate = `\ttls ${join(folder, 'cert.pem')} ${join(folder, 'key.pem')}\n`;
  const site = guide.replace(/^phones\.example\.com \{\n/m, `localhost {\n${certificate}`);
  return `{\n\tadmin off\n\tskip_install_trust\n\thttp_port ${httpPort}\n\thttps_port ${httpsPort}\n}\n${site}`;
}

function nginxFile(guide: string, { folder, httpsPort, httpPort, timesDividedBy = 1 }: ProxyOptions): string {
  const seconds = { s: 1, m: 60, h: 3_600 };
  const divided = (number: string, unit: string): string =>
    `${Math.round((Number(number) * seconds[unit as 's'] * 1_000) / timesDividedBy)}ms`;
  const servers = guide
    .replaceAll('phones.example.com;', 'localhost;')
    .replace('listen 80;', `listen 127.0.0.1:${httpPort};`)
    .replace('listen 443 ', `listen 127.0.0.1:${httpsPort} `)
    .replace(/(ssl_certificate +)\S+;/, `$1${join(folder, 'cert.pem')};`)
    .replace(/(ssl_certificate_key +)\S+;/, `$1${join(folder, 'key.pem')};`)
    .replaceAll(/(_timeout )(\d+)([smh]);/g, (_all, name: string, number: string, unit: string) => `${name}${divided(number, unit)};`); // prettier-ignore
  const silence = divided(String(SILENCE_S), 's');
  const places = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `  ${name}_temp_path ${join(folder, name)};`); // prettier-ignore
  const limits = ['client_body', 'send', 'proxy_read', 'proxy_send', 'proxy_connect'].map((name) => `  ${name}_timeout ${silence};`); // prettier-ignore
  return [
    `daemon off;\nmaster_process off;\npid ${join(folder, 'nginx.pid')};`,
    'events {}\nhttp {\n  access_log off;',
    ...[...places, ...limits, servers, '}\n'],
  ].join('\n');
}

function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  await ended;
}
