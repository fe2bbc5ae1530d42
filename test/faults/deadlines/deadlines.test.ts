import { expect } from 'chai';
import { fuzzDeadlines } from './fuzz-deadlines.js';

/** DEADLINE_REQUESTS=20000 for a long run, as `npm run bench -- deadlines` makes it. */
const REQUESTS = Number(process.env['DEADLINE_REQUESTS'] ?? 800);
const SEED = Number(process.env['DEADLINE_SEED'] ?? 20_261_126);

describe(`all services under ${REQUESTS} requests that end at any moment (seed ${SEED})`, function () {
  this.timeout(240_000 + REQUESTS * 500);

  it('leave no failure unhandled, and keep nothing of the requests', async () => {
    const { byEnd, operations, rejections, warnings, kept } = await fuzzDeadlines({
      requests: REQUESTS,
      seed: SEED,
      atOnce: 8,
    });
    expect(rejections.map((reason) => (reason instanceof Error ? (reason.stack ?? reason.message) : reason))).to.deep.equal([]); // prettier-ignore
    expect(warnings).to.deep.equal([]);
    expect(kept).to.deep.equal({ TCPSocketWrap: 0, TCPServerWrap: 0, Timeout: 0 });
    // The requests must end in every way to mean something.
    for (const end of ['200', 'ok', 'hung up', 'timeout']) expect(byEnd.get(end) ?? 0, end).to.be.greaterThan(1);
    expect(operations.size).to.be.greaterThan(30);
  });
});
