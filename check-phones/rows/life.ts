import { CloudPhoneError } from '../../client/src/index.js';
import { systemClock } from '../../kit/async/clock.js';
import { demand } from '../demand.js';
import { runOperatorCommand } from '../operator-command.js';
import { NotOffered, type Row } from '../row.js';

/** Creating, starting, stopping and deleting; MAIN is the phone that most rows use. */
export const MAIN = 'main';

export const creates: Row = {
  name: 'create and boot',
  run: async (phones) => {
    const phone = await phones.create(MAIN);
    const { state, screen, driver } = await phone.device();
    demand(state === 'running', `the device is ${state}`);
    return `${driver}, ${screen.width}x${screen.height}`;
  },
};

export const identifiesStarts: Row = {
  name: 'identity: the same phone after a restart, another start',
  run: async (phones) => {
    const phone = phones.get(MAIN);
    const before = await phone.startFacts();
    demand(before.serial !== '', 'ro.serialno is empty');
    await phone.restart();
    const after = await phone.startFacts();
    demand(after.serial === before.serial, `ro.serialno was ${before.serial} and is ${after.serial}`);
    demand(
      after.start !== before.start,
      'neither the boot id nor the start of the first process changed: a restart goes unnoticed',
    );
    return before.serial;
  },
};

export const identifiesPhones: Row = {
  name: 'identity: another phone',
  run: async (phones) => {
    const other = await phones.create('other').catch((error: unknown) => {
      const refused =
        error instanceof CloudPhoneError && (error.status === 409 || error.status === 402 || error.status === 403);
      throw refused ? new NotOffered(`a second phone was refused: ${error.message}`) : error;
    });
    const [{ serial: own }, { serial }] = [await phones.get(MAIN).startFacts(), await other.startFacts()];
    await phones.delete('other');
    demand(own !== serial, `both have ro.serialno ${serial}`);
    return serial;
  },
};

/** How long the service may take to notice that a phone is gone, ms. */
const NOTICED_MS = 60_000;

export const survivesKill: Row = {
  name: 'kill: reported, and a start works',
  run: async (phones) => {
    const { killCommand } = phones.options;
    if (killCommand === undefined) throw new NotOffered('no --kill-command');
    const phone = phones.get(MAIN);
    const { serial } = await phone.startFacts();
    await runOperatorCommand(killCommand, '--kill-command', { serial, name: phone.name });
    const killedMs = performance.now();
    for (;;) {
      const { state, problem } = await phone.device();
      if (problem !== undefined || state !== 'running') break;
      demand(performance.now() - killedMs < NOTICED_MS, `it was not noticed in ${NOTICED_MS / 1_000} s`);
      await systemClock.sleep(200);
    }
    const noticedMs = performance.now() - killedMs;
    // A phone that does not respond still counts as running, and is restarted. A phone that has ended is failed, and is started.
    const found = await phone.device();
    if (found.state === 'running') await phone.restart();
    // When the phone had run for long before it ended, the service starts it by itself: that job is awaited.
    else if (found.job === undefined) await phone.start();
    else await phone.waitForJob(found.job);
    const after = await phone.startFacts();
    demand(after.serial === serial, `ro.serialno was ${serial} and is ${after.serial}`);
    return `noticed after ${(noticedMs / 1_000).toFixed(1)} s`;
  },
};

export const startsOften: Row = {
  name: 'starts and stops',
  run: async (phones) => {
    const phone = phones.get(MAIN);
    const seconds: number[] = [];
    for (let round = 0; round < phones.options.rounds; round++) {
      await phone.stop();
      const { created_at: began, finished_at: ended = began } = await phone.start();
      // The job's own times are used. Time measured here would include waits for the rate limit of the check's key.
      seconds.push((Date.parse(ended) - Date.parse(began)) / 1_000);
      const { state } = await phone.device();
      demand(state === 'running', `after start ${round + 1} the device is ${state}`);
    }
    const ordered = seconds.toSorted((a, b) => a - b);
    const [fastest = 0, slowest = 0] = [ordered[0], ordered.at(-1)];
    const half = ordered[Math.floor(ordered.length / 2)] ?? 0;
    return `${seconds.length} rounds; a start takes ${fastest.toFixed(1)} to ${slowest.toFixed(1)} s, median ${half.toFixed(1)} s`;
  },
};

export const deletes: Row = {
  name: 'delete leaves nothing',
  run: async (phones) => {
    const { name } = phones.get(MAIN);
    const { serial } = await phones.get(MAIN).startFacts();
    await phones.delete(MAIN);
    const gone = await phones.statusOf(name);
    demand(gone === 404, `GET of the device is ${gone}`);
    const { leftoversCommand } = phones.options;
    if (leftoversCommand === undefined) return 'what is left on the host was not checked: no --leftovers-command';
    const left = (await runOperatorCommand(leftoversCommand, '--leftovers-command', { serial, name })).trim();
    demand(left === '', `left on the host: ${left}`);
    return '';
  },
};
