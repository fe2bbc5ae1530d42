import { createClient } from '@connectrpc/connect';
import { expect } from 'chai';
import { JOB_LIMIT_MS, PULL_CHECK_MS, PULL_MS } from '../../device-service/devices/limits.js';
import { joinInMemory } from '../../kit/rpc/transport.js';
import { AdminService } from '../../proto/gen/cloudphone/access/v1/admin_service_pb.js';
import { DeviceState } from '../../proto/gen/cloudphone/device/v1/device_pb.js';
import { JobPhase, JobState } from '../../proto/gen/cloudphone/device/v1/job_pb.js';
import { until } from '../../testing/until.js';
import type { OperationOptions } from '../../phone/driver.js';
import { type Customer, ServiceWorld } from '../billing/service-world.js';

describe('a phone whose image a registry does not send', () => {
  let world: ServiceWorld;
  let customer: Customer;
  let jobId: string;
  let send: () => void;
  let aborted: boolean;

  beforeEach(async () => {
    world = await ServiceWorld.open();
    customer = await world.customer('c@example.com');
    await customer.credit('1.00');
    aborted = false;
    const sent = new Promise<void>((resolve) => (send = resolve));
    world.driver.prepare = async (_, { onPulling, signal }: OperationOptions) => {
      onPulling?.();
      signal?.addEventListener('abort', () => (aborted = true));
      await sent;
    };
    jobId = (await customer.create({ name: 'a' })).job?.id ?? '';
    await until(async () => (await job()).phase === JobPhase.PULLING);
  });
  afterEach(async () => {
    send();
    await world.close();
  });

  const job = () => customer.getJob(jobId);

  it('is waited for beyond the limit of the job, which shows it, and then made and started', async () => {
    world.clock.turn(JOB_LIMIT_MS.create * 2);
    expect(await job()).to.include({ state: JobState.RUNNING, phase: JobPhase.PULLING });
    send();
    await world.idle();
    expect(await job())
      .to.deep.include({ state: JobState.DONE })
      .and.not.to.have.property('phase');
    expect((await customer.get('a')).state).to.equal(DeviceState.RUNNING);
  });

  it('fails with the reason after an hour', async () => {
    world.clock.turn(PULL_MS);
    await world.idle();
    const failed = await job();
    expect(failed.state).to.equal(JobState.FAILED);
    expect(failed.error?.message).to.contain('was not fetched within 60 minutes');
  });

  it('is deleted with its device, which ends the job and frees the money held for it', async () => {
    const { job: deletion } = await customer.remove('a');
    await until(async () => {
      world.clock.turn(PULL_CHECK_MS);
      return (await customer.getJob(deletion?.id ?? '')).state === JobState.DONE;
    });
    expect(aborted).to.equal(true);
    const cancelled = await job();
    expect(cancelled).to.include({ state: JobState.FAILED });
    expect(cancelled.error?.message).to.contain('was deleted while its image was being fetched');
    expect(world.driver.calls).not.to.include('create');
    expect((await world.stores.devices.listAll(10)).length).to.equal(0);
    const [last] = (await customer.ledger()).slice(-1);
    expect(last?.holds ?? []).to.deep.equal([]);
  });

  it('is deleted by the operator, too', async () => {
    const admin = createClient(AdminService, joinInMemory(world.service.rpc, undefined));
    await admin.deleteOwnedDevice({ email: 'c@example.com', name: 'a' });
    await until(async () => {
      world.clock.turn(PULL_CHECK_MS);
      return (await world.stores.devices.listAll(10)).length === 0;
    });
    expect(aborted).to.equal(true);
    expect((await job()).error?.message).to.contain('was deleted while its image was being fetched');
  });

  it('is fetched by the next process where the service was killed meanwhile', async () => {
    world.kill();
    delete world.driver.prepare;
    await world.begin();
    await world.idle();
    expect(await job())
      .to.deep.include({ state: JobState.DONE })
      .and.not.to.have.property('phase');
  });
});
