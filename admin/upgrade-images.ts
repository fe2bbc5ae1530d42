import type { Client } from '@connectrpc/connect';
import type {
  AdminService,
  GetOwnedJobResponse,
  UpgradeImageResponse,
} from '../proto/gen/cloudphone/access/v1/admin_service_pb.js';
import { JobPhase, JobState } from '../proto/gen/cloudphone/device/v1/job_pb.js';
import { textOf } from './error-text.js';
import { accountWith, everyDevice } from './every-page.js';
import type { Words } from './words.js';

type Admin = Client<typeof AdminService>;

/** The parts of the command line that the command uses. */
export interface UpgradeServices {
  admin: Admin;
  wait: (ms: number) => Promise<void>;
  onLine: (line: string) => void;
}

/** A device that is to be upgraded, and what became of it. */
interface Upgraded {
  account: string;
  device: string;
  /** `unchanged`: it has the image already. `failed`: it is as before. `refused`: no job was begun. */
  outcome: 'upgraded' | 'unchanged' | 'failed' | 'refused';
  job?: string;
  android?: string;
  message?: string;
}

interface Wanted {
  account: string;
  device: string;
  host: string;
}

const WAIT_MS = 500;
/** How often a job is read, which is for a day; a job takes less. */
const MAX_READS = 172_800;
/** How often in a row the service may not respond, as while it is started again: two minutes. */
const MAX_MISSED_READS = 240;

/**
 * Upgrades one device, or all of a model: those of one host one after the other, so that a host has one copy and one boot more at a time.
 * The jobs belong to the service. If this process ends, the job under way goes on, and devices that have not begun stay as they are.
 */
export async function upgradeImages(
  services: UpgradeServices,
  { name, model, account, now }: Words['options'],
): Promise<{ json: string; text: string; failure?: string }> {
  const wanted = await wantedBy(services.admin, { name, model, account });
  const hosts = [...new Set(wanted.map(({ host }) => host))];
  const ofHost = async (host: string): Promise<Upgraded[]> => {
    const upgraded: Upgraded[] = [];
    for (const one of wanted.filter((each) => each.host === host))
      upgraded.push(await upgrade(services, one, now === 'yes'));
    return upgraded;
  };
  const all = (await Promise.all(hosts.map(ofHost))).flat();
  const left = all.filter(({ outcome }) => outcome === 'failed' || outcome === 'refused').length;
  return {
    json: JSON.stringify({ devices: all }),
    text: all.map((one) => `${lineOf(one)}\n`).join(''),
    ...(left > 0 && { failure: `Devices that keep the image they had: ${left} of ${all.length}.` }),
  };
}

async function wantedBy(
  admin: Admin,
  { name, model, account }: { name: string | undefined; model: string | undefined; account: string | undefined },
): Promise<Wanted[]> {
  if ((name === undefined) === (model === undefined)) throw new Error('Give either --name or --model.');
  if (account !== undefined && name === undefined) throw new Error('--account: only with --name');
  const email = name === undefined || account !== undefined ? account : await accountWith(admin, name);
  const found = (await everyDevice(admin)).filter(({ account: of, device }) =>
    name === undefined ? device?.model === model : device?.name === name && of === email,
  );
  if (found.length === 0)
    throw new Error(`There is no device ${name === undefined ? `of the model "${model}"` : `"${name}"`}.`);
  return found.map((one) => ({ account: one.account, device: one.device?.name ?? '', host: one.host }));
}

async function upgrade(services: UpgradeServices, { account, device }: Wanted, now: boolean): Promise<Upgraded> {
  const { admin, onLine } = services;
  const of = { account, device };
  const accepted = await admin.upgradeImage({ email: account, name: device, now }).catch((error: unknown) => error);
  if (accepted instanceof Error) return { ...of, outcome: 'refused', message: textOf(accepted).trim() };
  const id = (accepted as UpgradeImageResponse).job?.id ?? '';
  onLine(`${device}: begun, by ${id}`);
  const { state, error, result } = (await follow(services, { account, device, id })) ?? {};
  if (state !== JobState.DONE) return { ...of, job: id, outcome: 'failed', message: error?.message ?? 'unknown' };
  const { android } = result ?? {};
  if (android === undefined) return { ...of, job: id, outcome: 'unchanged' };
  return { ...of, job: id, outcome: 'upgraded', android };
}

/** Waits for the end of a job, and reports each of its steps. */
async function follow(
  { admin, wait, onLine }: UpgradeServices,
  { account, device, id }: { account: string; device: string; id: string },
): Promise<GetOwnedJobResponse['job']> {
  let shown = '';
  let missed = 0;
  for (let reads = 0; reads < MAX_READS; reads++) {
    try {
      const { job, step = '' } = await admin.getOwnedJob({ email: account, id });
      missed = 0;
      if (job !== undefined && job.state !== JobState.RUNNING) return job;
      const line = job?.phase === JobPhase.PULLING ? PULLING : (STEPS[step] ?? '');
      if (line !== shown && line !== '') onLine(`${device}: ${line}`);
      shown = line;
    } catch (error) {
      if (++missed >= MAX_MISSED_READS) throw error;
    }
    await wait(WAIT_MS);
  }
  throw new Error(`The job ${id} of ${device} has not ended. See: job list --state running`);
}

const PULLING = 'its new image is fetched';
/** The steps of the job, for people. */
const STEPS: Readonly<Record<string, string>> = {
  survey: 'its apps and files are listed, with its old image',
  stop: 'it is stopped',
  copy: 'its data is copied',
  image: 'it gets its new image',
  boot: 'it boots with its new image',
  check: 'it is checked',
  drop: 'it has passed; the copy is removed',
  back: 'it goes back to its old image',
  end: 'it is started or stopped, as it was before',
};

function lineOf({ device, outcome, android, message }: Upgraded): string {
  if (outcome === 'upgraded') return `${device} has its new image, with Android ${android}.`;
  if (outcome === 'unchanged') return `${device} has the image of its model already.`;
  return `${device} keeps its image: ${message}`;
}
