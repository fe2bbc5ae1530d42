import { Resolver } from 'node:dns/promises';
import { networkInterfaces } from 'node:os';
import { Agent, interceptors, request } from 'undici';
import { publicLookup } from '../../../webhook-service/sending/public-lookup.js';
import { openTemporaryDatabase } from '../../temporary-database.js';
import { startWebhookWorld, type TestKey } from '../webhook-world.js';
import { Everywhere } from './everywhere.js';
import { NameServer } from './name-server.js';
import { PORTS, type Trial, type TrialResult } from './sealed-trial.js';

// The process in the sealed network: the webhook service, a name server, and listeners on every address. It does the trials that come
// as messages, one at a time, and ends when nobody is there to send more.
const NAME_SERVER = '127.0.0.1';
// This is long enough to look up a name among hundreds at the same time, when some of the queries are lost.
const limits = { responseTimeoutMs: 10_000, retryDelaysMs: [5, 5], scanSpacingMs: 5 };

const everywhere = new Everywhere();
await everywhere.listen(PORTS);
const nameServer = await NameServer.listen(NAME_SERVER, 53);
const resolver = new Resolver({ timeout: 250, tries: 6 });
resolver.setServers([NAME_SERVER]);
const lookup = publicLookup(resolver);
let trials = 0;

process.on('disconnect', () => process.exit(0));
process.on('message', (trial: Trial) => {
  run(trial).then(
    (result) => process.send?.(result),
    (error: unknown) => {
      process.stderr.write(`${String(error)}\n`);
      process.exit(1);
    },
  );
});
process.send?.('ready');

async function run({ sender, urls, names = {} }: Trial): Promise<TrialResult> {
  for (const [name, answers] of Object.entries(names)) nameServer.tell(name, answers);
  everywhere.contacts.length = 0;
  const errors = sender === 'following' ? await follow(urls) : await publishTo(urls, sender === 'unguarded');
  return {
    errors,
    contacts: everywhere.contacts,
    asked: Object.fromEntries(Object.keys(names).map((name) => [name, nameServer.asked(name)])),
    interfaces: Object.keys(networkInterfaces()),
  };
}

async function publishTo(urls: readonly string[], allowPrivateTargets: boolean): Promise<TrialResult['errors']> {
  const number = ++trials;
  const keys = urls.map((url, at): TestKey => ({ keyId: `key_${at}`, url, text: `cp_${at}` }));
  const temporary = await openTemporaryDatabase();
  const world = await startWebhookWorld({ database: temporary.database, keys, limits, lookup, allowPrivateTargets });
  await world.publish(`evt_${number}`);
  const errors: TrialResult['errors'] = {};
  for (const key of keys) {
    const [delivery] = await world.finished(key);
    errors[key.url] = delivery!.attempts.map(({ error }) => error ?? null);
  }
  await world.close();
  await temporary.close();
  return errors;
}

async function follow(urls: readonly string[]): Promise<TrialResult['errors']> {
  const agent = new Agent({ connect: { lookup } });
  const dispatcher = agent.compose(interceptors.redirect({ maxRedirections: 3 }));
  for (const url of urls) {
    // Where it ended is seen by the listeners; that TLS does not come about there is of no interest.
    const answer = await request(url, { method: 'POST', dispatcher }).catch(() => undefined);
    await answer?.body.dump();
  }
  await agent.destroy();
  return {};
}
