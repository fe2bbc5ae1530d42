import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import type { Contact } from './everywhere.js';
import {
  type ForbiddenCase,
  knownNameCases,
  mixedCases,
  nameCases,
  notHttp,
  portCases,
  PUBLIC_V4,
  PUBLIC_V6,
  spelledCases,
  writtenCases,
} from './forbidden-cases.js';
import type { NameAnswer } from './name-server.js';
import { lameRedirectCases, pointingCases, redirectCases } from './redirect-cases.js';
import { startSealed, whyNotSealed } from './sealed-network.js';
import type { Trial, TrialResult } from './sealed-trial.js';
import { skip } from '../../../testing/skip.js';

const script = fileURLToPath(new URL('./sealed-service.js', import.meta.url));

/** Multicast, broadcast and link-local addresses without a link: no system makes a TCP connection to them. */
const NOT_FOR_TCP = /^(224\.|239\.|255\.255\.255\.255$|fe[89ab]|ff)/;

const cases = [...spelledCases, ...portCases, ...writtenCases, ...nameCases, ...knownNameCases];
const redirects = [...redirectCases, ...lameRedirectCases, ...pointingCases];
const count = cases.length + mixedCases.length + notHttp.length + redirects.length;

describe(`webhook URLs in a network in which every address responds, ${count} of them forbidden`, function () {
  let directory: string | undefined;
  let sealed: ChildProcess | undefined;
  let gone: Promise<never> | undefined;

  before(async function () {
    const missing = whyNotSealed();
    if (missing !== undefined) {
      skip(this, missing);
    }
    directory = mkdtempSync(join(tmpdir(), 'cloudphone-sealed-'));
    sealed = startSealed(script, directory);
    gone = once(sealed, 'exit').then(() => Promise.reject(new Error('the process in the sealed network ended')));
    gone.catch(() => undefined);
    await next();
  });

  after(async () => {
    sealed?.kill('SIGKILL');
    await gone?.catch(() => undefined);
    if (directory !== undefined) rmSync(directory, { recursive: true, force: true });
  });

  async function next(): Promise<unknown> {
    const [message] = (await Promise.race([once(sealed!, 'message'), gone])) as unknown[];
    return message;
  }

  async function run(trial: Trial): Promise<TrialResult> {
    const answered = next();
    sealed!.send(trial);
    return (await answered) as TrialResult;
  }

  const namesOf = (some: readonly ForbiddenCase[]): Record<string, NameAnswer[]> =>
    Object.assign({}, ...some.map(({ names }) => names)) as Record<string, NameAnswer[]>;
  const isCanary = ({ address }: Contact): boolean => address !== PUBLIC_V4 && address !== PUBLIC_V6;
  const wasSeen = (contacts: readonly Contact[], { seen }: ForbiddenCase): boolean =>
    contacts.filter(isCanary).some((contact) => ('path' in seen ? contact.path === seen.path : contact.address === seen.address)); // prettier-ignore

  async function refused(some: readonly ForbiddenCase[]): Promise<void> {
    const urls = some.map(({ url }) => url);
    const { errors, contacts } = await run({ sender: 'guarded', urls, names: namesOf(some) });
    expect(contacts).to.deep.equal([]);
    for (const url of urls) expect(errors[url], url).to.deep.equal(Array(3).fill('not_public'));
  }

  it('are more than 300', () => {
    expect(count).to.be.above(300);
    expect(new Set(cases.map(({ url }) => url))).to.have.length(cases.length);
  });

  it('have canaries that see each of them when nothing guards it, and no way out', async () => {
    const urls = cases.map(({ url }) => url);
    const { contacts, interfaces } = await run({ sender: 'unguarded', urls, names: namesOf(cases) });
    expect(interfaces).to.deep.equal(['lo']);
    const unseen = cases.filter((one) => !wasSeen(contacts, one));
    expect(unseen).to.deep.equal(cases.filter((one) => NOT_FOR_TCP.test(targetOf(one))));
    expect(unseen.length).to.be.below(cases.length / 10);
  });

  it('do not keep receivers at public addresses from being reached', async () => {
    const names = { 'good.example': [{ addresses: [PUBLIC_V4, PUBLIC_V6] }], 'six.example': [{ addresses: [PUBLIC_V6] }] };
    const hosts = [PUBLIC_V4, `[${PUBLIC_V6}]`, `[::ffff:${PUBLIC_V4}]`, 'good.example', 'six.example'];
    const urls = hosts.flatMap((host) => [`http://${host}/`, `http://${host}:8080/hook`]);
    const { errors, contacts } = await run({ sender: 'guarded', urls, names });
    for (const url of urls) expect(errors[url], url).to.deep.equal([null]);
    expect(contacts).to.have.length(urls.length);
    expect(contacts.filter(isCanary)).to.deep.equal([]);
  }); // prettier-ignore

  it('are refused in every spelling', () => refused(spelledCases));
  it('are refused on every port', () => refused(portCases));
  it('are refused in URLs that can be read in two ways', () => refused(writtenCases));
  it('are refused when a name leads there', () => refused([...nameCases, ...knownNameCases]));
  it('are refused when a name leads to good addresses too', () => refused(mixedCases));

  it('are refused when they are no http', async () => {
    const { errors, contacts } = await run({ sender: 'guarded', urls: notHttp });
    for (const url of notHttp) expect(errors[url], url).to.deep.equal(Array(3).fill('url'));
    expect(contacts).to.deep.equal([]);
  });

  /** A receiver that fails and hangs up, so that the next attempt looks its name up again. */
  const changing = (name: string): string =>
    `http://${name}:8080/answer?status=503&headers=${encodeURIComponent('{"connection":"close"}')}`;
  const good = { addresses: [PUBLIC_V4] };

  it('are refused when a name resolves to another address from one attempt to the next', async () => {
    const answers: Record<string, NameAnswer[]> = {
      'second.example': [good, { addresses: ['10.0.0.1'] }],
      'third.example': [good, good, { addresses: ['169.254.169.254'] }],
      'six.example': [{ addresses: [PUBLIC_V6] }, { addresses: ['fd00::1'] }, { addresses: ['::1'] }],
      'beside.example': [good, { addresses: [PUBLIC_V4, '127.0.0.1'] }],
      'alias.example': [good, { alias: 'db.internal.example', addresses: ['192.168.1.1'] }],
      'first.example': [{ addresses: ['127.0.0.1'] }, good],
      'late.example': [{ addresses: [] }, { addresses: ['::ffff:10.0.0.1'] }],
    };
    const urls = Object.keys(answers).map(changing);
    const unguarded = await run({ sender: 'unguarded', urls, names: answers });
    const canaries = new Set(unguarded.contacts.filter(isCanary).map(({ address }) => address));
    expect([...canaries].sort()).to.deep.equal(
      ['10.0.0.1', '127.0.0.1', '169.254.169.254', '192.168.1.1', '::1', 'fd00::1'].sort(),
    );

    const { errors, contacts } = await run({ sender: 'guarded', urls, names: answers });
    expect(contacts.filter(isCanary)).to.deep.equal([]);
    const found = Object.fromEntries(Object.keys(answers).map((name) => [name, errors[changing(name)]]));
    expect(found).to.deep.equal({
      'second.example': ['status_503', 'not_public', 'not_public'],
      'third.example': ['status_503', 'status_503', 'not_public'],
      'six.example': ['status_503', 'not_public', 'not_public'],
      'beside.example': ['status_503', 'not_public', 'not_public'],
      'alias.example': ['status_503', 'not_public', 'not_public'],
      'first.example': ['not_public', 'status_503', 'status_503'],
      'late.example': ['dns', 'not_public', 'not_public'],
    });
    expect(contacts).to.have.length(8);
  });

  it('are not reached when a name resolves to another address between look-up and connecting: it is looked up once', async () => {
    const names = { 'rebinding.example': [good, { addresses: ['127.0.0.1'] }] };
    const { errors, contacts, asked } = await run({ sender: 'guarded', urls: ['http://rebinding.example/'], names });
    expect(errors).to.deep.equal({ 'http://rebinding.example/': [null] });
    expect(contacts).to.deep.equal([{ address: PUBLIC_V4, port: 80, path: '/' }]);
    expect(asked).to.deep.equal({ 'rebinding.example': 1 });
  });

  it('are not reached by redirects, which do lead there', async () => {
    const urls = redirectCases.map(({ url }) => url);
    const followed = await run({ sender: 'following', urls });
    const reached = new Set(followed.contacts.map(({ address }) => address));
    expect(redirectCases.filter(({ to }) => !reached.has(to!))).to.deep.equal([]);

    const { errors, contacts } = await run({ sender: 'guarded', urls: [...urls, ...lameRedirectCases.map(({ url }) => url)] });
    expect(contacts.filter(isCanary)).to.deep.equal([]);
    for (const [url, failures] of Object.entries(errors)) expect(failures, url).to.deep.equal(Array(3).fill('redirect'));
    // Nor is the receiver itself asked for another path.
    expect(contacts.filter(({ path }) => path?.startsWith('/answer?') !== true)).to.deep.equal([]);
    expect(contacts).to.have.length(3 * Object.keys(errors).length);
  }); // prettier-ignore

  it('are not reached by responses that point there without redirecting', async () => {
    const urls = pointingCases.map(({ url }) => url);
    const { errors, contacts } = await run({ sender: 'guarded', urls });
    for (const url of urls) expect(errors[url], url).to.deep.equal([null]);
    expect(contacts.filter(isCanary)).to.deep.equal([]);
  });
});

/** The address that a case leads to first. */
function targetOf({ url, names }: ForbiddenCase): string {
  const { hostname } = new URL(url);
  return names?.[hostname]?.[0]?.addresses[0] ?? hostname.replace(/^\[|\]$/g, '');
}
