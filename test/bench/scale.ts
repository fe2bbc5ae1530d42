import { FakeDriver } from '../fake-driver.js';
import { startLoneDeviceService } from './lone-device-service.js';
import { inTurn, quantile, type Report } from './report.js';

const FEW = 10;
const MANY = 1_000;
/** The usual page of a list, and the limit that most callers get. */
const PAGE = 100;
const REQUESTS = 400;
/** How many devices are created at once. */
const AT_ONCE = 8;

/**
 * P18: what a list and a get cost when the account has 1,000 devices instead of 10, measured in turn. A page of 10 shows what the number
 * of devices costs; a page of 100 then holds ten times the devices as well. The driver does nothing.
 */
export async function benchScale(report: Report): Promise<void> {
  const few = await accountOf(FEW);
  const many = await accountOf(MANY);
  for (const [what, request] of requests) {
    const p99 = (account: Account) => () => p99Of((index) => request(account, index));
    const { ours, theirs, ratio } = await inTurn(p99(many), p99(few));
    report({
      what: `P18 ${what}, p99 at ${MANY} devices against ${FEW}`,
      ours: `${ours.toFixed(2)} ms`,
      theirs: `${theirs.toFixed(2)} ms`,
      ratio,
      goal: '<= 2',
      holds: ratio.median <= 2,
    });
  }
}

type Account = Awaited<ReturnType<typeof accountOf>>;

const requests: [string, (account: Account, index: number) => Promise<unknown>][] = [
  [`list with limit ${FEW}`, ({ devices, call }) => devices.listDevices({ limit: FEW }, call)],
  [`list with limit ${PAGE}`, ({ devices, call }) => devices.listDevices({ limit: PAGE }, call)],
  ['get', ({ devices, call, count }, index) => devices.getDevice({ name: `bench-${index % count}` }, call)],
];

/** An account with `count` devices, in a service of its own. */
async function accountOf(count: number) {
  const { devices, call, create } = await startLoneDeviceService(new FakeDriver());
  const left = Array.from({ length: count }, (_, index) => `bench-${index}`).values();
  const createNext = async (): Promise<void> => {
    for (const name of left) await create(name, { start: false });
  };
  await Promise.all(Array.from({ length: AT_ONCE }, createNext));
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
