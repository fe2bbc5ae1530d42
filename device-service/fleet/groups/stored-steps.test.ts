import { randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { create } from '@bufbuild/protobuf';
import { expect } from 'chai';
import { silentLog } from '../../../kit/log/log.js';
import { SecretBox } from '../../../kit/text/secret-box.js';
import { type GroupStep, GroupStepSchema } from '../../../proto/gen/cloudphone/device/v1/group_pb.js';
import { openTemporaryDatabase } from '../../../test/temporary-database.js';
import { type GroupDocument, GroupStore } from '../../store/groups.js';
import { scheduleMessage } from '../schedules/schedule-message.js';
import { type ScheduleDocument, ScheduleStore } from '../../store/schedules.js';
import { sealStoredSteps } from './seal-stored-steps.js';
import { STEPS_KEY_FILE, stepsBox } from './steps-box.js';
import { readSteps, storeSteps } from './stored-steps.js';

const typing = (text: string, secret: boolean): GroupStep =>
  create(GroupStepSchema, { kind: { case: 'act', value: { step: { case: 'type', value: { text, secret } } } } });
const SECRET = [typing('hunter2', true)];

const textIn = ([step]: readonly GroupStep[]): string | undefined =>
  step?.kind.case === 'act' && step.kind.value.step.case === 'type' ? step.kind.value.step.value.text : undefined;

describe('stored steps', () => {
  let folder: string;
  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'steps-'))));
  afterEach(() => rmSync(folder, { recursive: true }));

  const box = new SecretBox(randomBytes(32));

  it('have no secret text as responses show it', () => {
    const sealing = stepsBox(box, folder);
    expect(() => storeSteps([typing('a', true), typing('***', true)], 'grp_1', sealing)).to.throw(/^steps\[1\]: /);
    expect(textIn(readSteps(storeSteps([typing('***', false)], 'grp_1', sealing), 'grp_1', sealing))).to.equal('***');
  });

  it('are sealed by SECRETS_KEY, or else by a key of the data folder that only its owner can read', () => {
    for (const sealing of [stepsBox(box, folder), stepsBox(box, undefined), stepsBox(undefined, folder)]) {
      const stored = storeSteps(SECRET, 'grp_1', sealing);
      expect(stored).to.not.contain('hunter2').and.not.contain('{');
      expect(textIn(readSteps(stored, 'grp_1', sealing))).to.equal('hunter2');
      expect(() => readSteps(stored, 'grp_2', sealing)).to.throw('grp_2');
    }
    expect(readdirSync(folder)).to.deep.equal([STEPS_KEY_FILE]);
    expect(statSync(join(folder, STEPS_KEY_FILE)).mode & 0o077).to.equal(0);
  });

  it('that the key of the folder sealed can be read after a restart, also once there is SECRETS_KEY', () => {
    const stored = storeSteps(SECRET, 'sch_1', stepsBox(undefined, folder));
    expect(textIn(readSteps(stored, 'sch_1', stepsBox(undefined, folder)))).to.equal('hunter2');
    expect(textIn(readSteps(stored, 'sch_1', stepsBox(box, folder)))).to.equal('hunter2');
  });

  it('are refused with a secret text where there is no key, and stored without one', () => {
    const none = stepsBox(undefined, undefined);
    expect(() => storeSteps(SECRET, 'sch_1', none)).to.throw('SECRETS_KEY');
    const stored = storeSteps([typing('Oat milk', false)], 'sch_1', none);
    expect(textIn(readSteps(stored, 'sch_1', none))).to.equal('Oat milk');
  });

  describe('of earlier versions, in clear', () => {
    const plain = JSON.stringify({ steps: [{ act: { type: { text: 'hunter2', secret: true } } }] });
    const harmless = JSON.stringify({ steps: [{ wait: { ms: 1 } }] });

    const after = async (sealing: ReturnType<typeof stepsBox>, steps = plain) => {
      const opened = await openTemporaryDatabase();
      try {
        const [groups, schedules] = [new GroupStore(opened.database), new ScheduleStore(opened.database)];
        const due = { nextRunAt: new Date(0) };
        const made = [
          { _id: 'sch_1', steps, ...due },
          { _id: 'sch_2', steps: harmless, ...due },
        ].map((one) => ({ ...one, createdAt: new Date(0), devices: [], days: [], onError: 'stop' }));
        for (const schedule of made) await schedules.insert(schedule as unknown as ScheduleDocument);
        await groups.insert({
          _id: 'grp_1',
          steps,
          schedule: { id: 'sch_1', at: new Date(0) },
        } as GroupDocument);
        await sealStoredSteps({ groups, schedules, stepsBox: sealing, log: silentLog });
        await sealStoredSteps({ groups, schedules, stepsBox: sealing, log: silentLog });
        const read = async (name: string) => opened.database.collection(name).find({}).sort({ _id: 1 }).toArray();
        const [group, first, second] = [...(await read('groups')), ...(await read('schedules'))];
        return { group, first, second };
      } finally {
        await opened.close();
      }
    };

    it('are sealed at the start', async () => {
      const sealing = stepsBox(undefined, folder);
      const { group, first, second } = await after(sealing);
      expect(JSON.stringify([group, first, second])).to.not.contain('hunter2');
      for (const { steps } of [group!, first!])
        expect(textIn(readSteps(steps as string, 'sch_1', sealing))).to.equal('hunter2');
      expect(first!['nextRunAt']).to.be.instanceOf(Date);
      expect(second!['steps']).to.not.contain('{');
    });

    it('that a later release stored stay as they are, and keep no others from being read', async () => {
      const later = JSON.stringify({ steps: [{ dance: { ms: 1 } }] });
      for (const sealing of [stepsBox(undefined, folder), stepsBox(undefined, undefined)]) {
        const { first, second } = await after(sealing, later);
        expect(first).to.have.property('nextRunAt');
        expect(textIn(readSteps(second!['steps'] as string, 'sch_2', sealing))).to.equal(undefined);
        const [unreadable, other] = [first, second].map((one) =>
          scheduleMessage(one as unknown as ScheduleDocument, sealing),
        );
        expect(unreadable!.stepsFault).to.contain('PATCH /v1/schedules/sch_1');
        expect([unreadable!.steps.length, other!.steps.length, other!.stepsFault]).to.deep.equal([0, 1, undefined]);
      }
    });

    it('lose their secret texts where there is no key, and such schedules are disabled', async () => {
      const { group, first, second } = await after(stepsBox(undefined, undefined));
      expect(JSON.stringify([group, first, second])).to.not.contain('hunter2');
      expect(first).to.not.have.property('nextRunAt');
      expect(second).to.include({ steps: harmless }).and.to.have.property('nextRunAt');
    });
  });
});
