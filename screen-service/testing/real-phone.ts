import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../kit/async/clock.js';
import { silentLog } from '../../kit/log/log.js';
import { phoneBuilder } from '../../simulated-phone/host/build-phone.js';
import { FfmpegEncoders } from '../../phone/video/ffmpeg-encoders.js';
import type { SimulatedPhone } from '../../simulated-phone/phone/phone.js';
import { EXTRA_APPS } from '../../testing/phone/extra-apps.js';
import { KeptLink } from '../../phone/link/kept-link.js';

export interface RealPhone {
  phone: SimulatedPhone;
  port: number;
  /** Identity of its present start, as it is published. */
  identity: string;
  /** Runs a command on the phone, without the service. */
  shell(command: string): Promise<string>;
  close(): Promise<void>;
}

/** Boots a simulated phone in a folder of its own. */
export async function bootPhone({
  ffmpeg = 'ffmpeg',
  ...options
}: { phoneId?: string; android?: string; model?: string; ffmpeg?: string } = {}): Promise<RealPhone> {
  const directory = await mkdtemp(join(tmpdir(), 'screen-phone-'));
  const build = phoneBuilder({
    clock: systemClock,
    log: silentLog,
    random: seeded(),
    extraApps: EXTRA_APPS,
    bootMs: 0,
    storageBytes: 4 * 1024 ** 3,
    allowPrivateTargets: false,
    videoEncoders: new FfmpegEncoders(ffmpeg, systemClock),
  });
  const { phoneId = 'ph_1', model = 'phone-720p', android = '14' } = options;
  const exit = { type: 'direct', country: 'de', timezone: 'Europe/Berlin' };
  const phone = build({ phoneId, name: 'phone', model, android, exit }, directory);
  const port = await phone.boot();
  const link = new KeptLink({
    host: '127.0.0.1',
    port,
    clock: systemClock,
    connectSocket: (host, to) => connect({ host, port: to }),
    connectTimeoutMs: 5_000,
  });
  return {
    phone,
    port,
    identity: phone.runIdentity ?? '',
    shell: async (command) => {
      const options = { timeoutMs: 10_000, maxBytes: 1_000_000, doing: 'run a command' };
      return (await link.shell(command, options)).stdout.toString();
    },
    close: async () => {
      link.close();
      await phone.shutdown();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

/** Returns a small linear congruential generator, so that every run has the same phone. */
function seeded(): () => number {
  let state = 42;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
}
