import { parseUrl } from '../../kit/text/parse-url.js';
import { createServer, isIPv6, type AddressInfo, type LookupFunction, type Server } from 'node:net';
import { expect } from 'chai';
import { DeliveryState } from '../../proto/gen/cloudphone/webhook/v1/delivery_pb.js';
import { publicLookup } from '../../webhook-service/sending/public-lookup.js';
import { openTemporaryDatabase, type TemporaryDatabase } from '../temporary-database.js';
import { forbiddenAddresses, forbiddenHosts } from './forbidden-targets.js';
import { respondWith, Receiver } from './receiver.js';
import { startWebhookWorld, type TestKey, type WebhookWorld } from './webhook-world.js';

const limits = { responseTimeoutMs: 2_000, retryDelaysMs: [5, 5], scanSpacingMs: 5 };

describe('webhook URLs that lead where they must not', () => {
  let temporary: TemporaryDatabase;
  let world: WebhookWorld;
  let canaries: Server[];
  let port: number;
  let touched = 0;
  const keys: TestKey[] = [];
  /** The next response of the name server, by name: each response is given once, the last one for ever. */
  const names = new Map<string, string[][]>();

  const lookup: LookupFunction = (host, options, callback) => {
    const responses = names.get(host) ?? [];
    const addresses = (responses.length > 1 ? responses.shift() : responses[0]) ?? [];
    publicLookup({
      resolve4: (async () => addresses.filter((address) => !isIPv6(address))) as never,
      resolve6: (async () => addresses.filter((address) => isIPv6(address))) as never,
    })(host, options, callback);
  };

  before(async () => {
    temporary = await openTemporaryDatabase();
    // One port on every address of this machine: every connection to it is seen.
    canaries = await openCanaries();
    port = (canaries[0]!.address() as AddressInfo).port;
    world = await startWebhookWorld({ database: temporary.database, keys, limits, lookup, allowPrivateTargets: false });
  });

  after(async () => {
    await world.close();
    await temporary.close();
    await Promise.all(canaries.map((canary) => new Promise((resolve) => canary.close(resolve))));
  });

  async function openCanaries(): Promise<Server[]> {
    const canary = (): Server => createServer((socket) => (touched++, socket.destroy()));
    const first = canary();
    await new Promise<void>((resolve) => first.listen(0, '0.0.0.0', resolve));
    const second = canary();
    await new Promise<void>((resolve, reject) => {
      second.once('error', reject);
      second.listen({ port: (first.address() as AddressInfo).port, host: '::', ipv6Only: true }, resolve);
    });
    return [first, second];
  }

  let cases = 0;
  /** Publishes one event to each URL and returns the errors of all attempts. */
  async function errorsOf(urls: readonly string[]): Promise<Map<string, (string | undefined)[]>> {
    const number = ++cases;
    keys.length = 0;
    urls.forEach((url, at) => keys.push({ keyId: `key_${number}_${at}`, url, text: `cp_${number}_${at}` }));
    await world.publish(`evt_${number}`);
    const found = new Map<string, (string | undefined)[]>();
    for (const key of keys) {
      const [delivery] = await world.finished(key);
      expect(delivery!.state, key.url).to.equal(DeliveryState.FAILED);
      found.set(
        key.url,
        delivery!.attempts.map(({ error }) => error),
      );
    }
    return found;
  }

  it('are watched by canaries that do see a connection', async () => {
    for (const host of ['127.0.0.1', '[::1]', 'localhost']) {
      await fetch(`http://${host}:${port}/`).catch(() => undefined);
    }
    expect(touched).to.be.at.least(3);
    touched = 0;
  });

  it('are refused in every spelling of an address, before anything is sent', async () => {
    expect(forbiddenHosts.length).to.be.above(180);
    const urls = forbiddenHosts.flatMap((host) => [`http://${host}:${port}/hook`]);
    for (const [url, errors] of await errorsOf(urls)) {
      // Text that is no URL cannot be connected to either.
      const expected = parseUrl(url) ? 'not_public' : 'url';
      expect(errors, url).to.deep.equal(Array(3).fill(expected));
    }
    expect(touched).to.equal(0);
  });

  it('are refused when a name leads to such an address, alone or beside a good one', async () => {
    const urls: string[] = [];
    forbiddenAddresses.forEach((address, at) => {
      for (const [way, addresses] of [
        ['alone', [address]],
        ['second', ['93.184.216.34', address]],
      ] as const) {
        names.set(`${way}-${at}.example`, [[...addresses]]);
        urls.push(`http://${way}-${at}.example:${port}/hook`);
      }
    });
    for (const [url, errors] of await errorsOf(urls)) expect(errors, url).to.deep.equal(Array(3).fill('not_public'));
    expect(touched).to.equal(0);
  });

  it('are refused when a name changes its address from one attempt to the next', async () => {
    // Tests keep to this machine, so the first response has no address in place of a public one.
    names.set('rebinding.example', [[], ['127.0.0.1'], ['::1']]);
    const errors = (await errorsOf([`http://rebinding.example:${port}/hook`])).get(
      `http://rebinding.example:${port}/hook`,
    )!;
    expect(errors).to.deep.equal(['dns', 'not_public', 'not_public']);
    expect(touched).to.equal(0);
  });

  it('are not followed to by redirects', async () => {
    const receiver = await new Receiver().listen();
    const second = await openTemporaryDatabase();
    const key: TestKey = { keyId: 'key_1', url: receiver.url(), text: 'cp_redirect' };
    const open = await startWebhookWorld({ database: second.database, keys: [key], limits });
    for (const status of [301, 302, 303, 307, 308]) {
      for (const host of ['127.0.0.1', '[::1]', 'localhost', '2130706433']) {
        receiver.behave = respondWith(status, { location: `http://${host}:${port}/secret` });
        await open.publish(`evt_${status}_${host}`);
        const [delivery] = await open.finished(key);
        expect(delivery!.attempts.map(({ error }) => error)).to.deep.equal(Array(3).fill('redirect'));
      }
    }
    expect(touched).to.equal(0);
    await open.close();
    await receiver.close();
    await second.close();
  });

  it('look alike, whether something listens there or not', async () => {
    const urls = [`http://127.0.0.1:${port}/`, 'http://127.0.0.1:1/', 'http://10.255.255.1:9/'];
    for (const errors of (await errorsOf(urls)).values()) expect(errors).to.deep.equal(Array(3).fill('not_public'));
  });
});
