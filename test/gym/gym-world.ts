import { join } from 'node:path';
import { CloudPhone } from '../../client/src/cloud-phone.js';
import { type AnyTask, type GymPhones, openPhones, type Outcome, POLICIES, runGym } from '../../gym/src/index.js';
import { systemClock } from '../../kit/async/clock.js';
import { loadApps } from '../../simulated-phone/host/load-apps.js';
import { startWorld, type World } from '../world.js';

/** The folder of the gym's apps, as SIMULATED_APPS_DIR takes it. */
export const GYM_APPS_FOLDER = join(import.meta.dirname, '../../gym/phone-apps');

/** A whole service whose phones have the gym's apps, and phones of it. */
export interface GymWorld {
  world: World;
  phones: GymPhones;
  /** Runs tasks with a policy, as many at once as the world has phones for. */
  run: (tasks: readonly AnyTask[], policy: string) => Promise<Outcome[]>;
  close: () => Promise<void>;
}

export async function startGymWorld(parallel: number): Promise<GymWorld> {
  const phoneApps = await loadApps(GYM_APPS_FOLDER, systemClock);
  const world = await startWorld({ phoneApps });
  const { url } = world.mesh;
  const service = { phone: new CloudPhone({ url, key: world.key }), url, key: world.key };
  const phones = await openPhones(service, { parallel, name: 'gym', note: () => undefined });
  const nowMs = (): number => performance.now();
  return {
    world,
    phones,
    run: async (tasks, policy) => {
      const chosen = POLICIES[policy];
      if (chosen === undefined) throw new Error(`there is no policy ${policy}`);
      return runGym(phones, { tasks, policy: chosen, seed: 7, rounds: 1, parallel, nowMs });
    },
    close: async () => {
      await phones.close();
      await world.close();
    },
  };
}

/** Returns a line for each episode whose success is not as expected, so that a failed test shows why. Empty: all are as expected. */
export function unexpected(outcomes: readonly Outcome[], expected: boolean): string {
  return outcomes
    .filter(({ success }) => success !== expected)
    .map(({ task, reason, timeline }) => {
      const faults = timeline.flatMap(({ step, error }) =>
        error === undefined ? [] : [`${step}: ${error.slice(0, 200)}`],
      );
      return [`${task}: ${reason ?? 'reached its goal'}`, ...faults].join('\n  ');
    })
    .join('\n');
}
