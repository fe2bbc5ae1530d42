import pLimit from 'p-limit';
import { FakeDriver } from '../fake-driver.js';
import { startLoneDeviceService } from './lone-device-service.js';
import { inTurn, quantile, type Report } from './report.js';

const FEW = 10;
const SOME = 100;
const MANY = 1_000;
const REQUESTS = 400;
/** How many devices are created at the same time. */
const AT_ONCE = 8;

/**
 * P18: the cost of a list and a get when the account has 1,000 devices, against few, measured in turn. It compares pages of one size. The
 * goal is about the number of existing devices, while a longer page costs more in proportion to its length. How much more is the last row,
 * for information. The driver does nothing.
 */
export async function benchScale(report: Report): Promise<void> {
  const few = await accountOf(FEW);
  const some = await accountOf(SOME);
  const many = await accountOf(MANY);
  const list =
    (limit: number): Request =>
    ({ devices, call }) =>
      devices.listDevices({ limit }, call);
  const get: Request = ({ devices, call, count }, index) => devices.getDevice({ name: `bench-${index % count}` }, call);
  const rows: { what: string; request: Request; against: Account; goal?: number }[] = [
    { what: `list with limit ${FEW}`, request: list(FEW), against: few, goal: 2 },
    { what: `list with limit ${SOME}`, request: list(SOME), against: some, goal: 2 },
    { what: 'get', request: get, against: few, goal: 2 },
    { what: `list with limit ${SOME}, which returns ten times as many`, request: list(SOME), against: few },
  ];
  for (const { what, request, against, goal } of rows) {
    const p99 = (account: Account) => () => p99Of((index) => request(account, index));
    const { ours, theirs, ratio } = await inTurn(p99(many), p99(against));
    report({
      what: `P18 ${what}, p99 at ${MANY} devices against ${against.count}`,
      ours: `${ours.toFixed(2)} ms`,
      theirs: `${theirs.toFixed(2)} ms`,
      ratio,
      goal: goal === undefined ? 'for information' : `<= ${goal}`,
      holds: goal === undefined || ratio.median <= goal,
    });
  }
}

type Account = Awaited<ReturnType<typeof accountOf>>;

type Request = (account: Account, index: number) => Promise<unknown>;

/** An account with `count` devices, in a service of its own. */
async function accountOf(count: number) {
  const { devices, call, create } = await startLoneDeviceService(new FakeDriver());
  const names = Array.from({ length: count }, (_, index) => `bench-${index}`);
  await pLimit(AT_ONCE).map(names, (name) => create(name, { start: false }));
  return { devices, call, count };
}

async function p99Of(request: (index: number) => Promise<unknown>): Promise<number> {
  const tookMs: number[] = [];
  for (let index = 0; index < REQUESTS; index++) {
    const beganMs = performance.now();
    await request(index);
    tookMs.push(performance.now() - beganMs);
  }
  return quantile(tookMs, 0.99);
}
