import { expect } from 'chai';
import { openApi } from '../../testing/openapi.js';
import { signIn } from '../access/people.js';
import { startWorld, type World } from '../world.js';
import { RequestMaker } from './made-up-requests.js';

/** FUZZ_REQUESTS=20000 for a long run. */
const REQUESTS = Number(process.env['FUZZ_REQUESTS'] ?? 600);
const SEED = Number(process.env['FUZZ_SEED'] ?? 20_261_122);

describe(`the REST API under ${REQUESTS} requests made from its reference (seed ${SEED})`, function () {
  this.timeout(120_000 + REQUESTS * 500);
  let world: World;
  before(async () => {
    world = await startWorld();
    await world.api.createPhone({ name: 'fuzzed' });
  });
  after(() => world.close());

  it('never fails, and has no response that is outside of it', async () => {
    const panel = await signIn(world);
    const idsSeen: string[] = [];
    const maker = new RequestMaker(openApi(), { seed: SEED, device: 'fuzzed', idsSeen });
    const byStatus = new Map<number, number>();
    const succeeded = new Set<string>();
    // A phone that a group restarts meanwhile breaks off the request that is under way on it.
    const away: string[] = [];
    for (let number = 0; number < REQUESTS; number++) {
      const { operation, method, path, body, headers, needsSession } = maker.next();
      const by = needsSession ? panel : world.api;
      // Throws for a response that the reference does not have (RestClient).
      const response = await by.ask(method, path, body, { headers });
      const what = `request ${number}: ${method} ${path} ${JSON.stringify(body)} -> ${response.status} ${response.bytes.toString().slice(0, 300)}`;
      if (response.status === 503 || response.status === 504) away.push(what);
      else expect(response.status, what).to.be.lessThan(500);
      byStatus.set(response.status, (byStatus.get(response.status) ?? 0) + 1);
      if (response.status < 300) succeeded.add(operation);
      const id = idIn(response.body);
      if (id !== undefined) idsSeen.unshift(id);
      idsSeen.splice(20);
    }
    expect(away.length, away.join('\n')).to.be.at.most(REQUESTS / 100);
    // The requests must get far enough to mean something. Each new operation changes which ones are made.
    for (const status of [200, 202, 400, 404, 409]) expect(byStatus.get(status) ?? 0, `${status}`).to.be.greaterThan(0);
    expect([...succeeded]).to.have.length.greaterThan(15);
  });
});

/** The id of the thing that a response is about. */
function idIn(body: unknown): string | undefined {
  if (typeof body !== 'object' || body === null) return undefined;
  const [first] = Object.values(body) as unknown[];
  const thing: unknown = Array.isArray(first) ? first[0] : first;
  const id: unknown = typeof thing === 'object' && thing !== null ? (thing as { id?: unknown }).id : undefined;
  return typeof id === 'string' ? id : undefined;
}
