import { createClient } from '@connectrpc/connect';
import { expect } from 'chai';
import { Registry } from 'prom-client';
import { systemClock } from '../../../kit/async/clock.js';
import type { ApiError } from '../../../kit/errors/api-error.js';
import { silentLog } from '../../../kit/log/log.js';
import { joinInMemory } from '../../../kit/rpc/transport.js';
import type { PhoneCapabilities, PhoneCapacity } from '../../../phone/driver.js';
import { ExitType, Plan } from '../../../proto/gen/cloudphone/device/v1/device_pb.js';
import { DeviceService } from '../../../proto/gen/cloudphone/device/v1/device_service_pb.js';
import { FakeDriver } from '../../../test/fake-driver.js';
import { openTemporaryDatabase, type TemporaryDatabase } from '../../../test/temporary-database.js';
import { refusalOf } from '../../../testing/refusal.js';
import { createDeviceService, type DeviceServiceInstance } from '../../service.js';
import type { HostDocument } from '../../store/hosts.js';

/** A driver whose engine is away: it knows its model and offers none. */
class WithheldDriver extends FakeDriver {
  override capabilities(): PhoneCapabilities {
    return { ...super.capabilities(), models: [], withheld: ['phone-720p'] };
  }
}

/** A driver that cannot be measured. */
class UnmeasuredDriver extends FakeDriver {
  override capacity(): Promise<PhoneCapacity> {
    return Promise.reject(new Error('its engine is away'));
  }
}

describe('a new device of a model', () => {
  let opened: TemporaryDatabase;
  let service: DeviceServiceInstance | undefined;

  beforeEach(async () => (opened = await openTemporaryDatabase()));
  afterEach(async () => {
    await service?.close();
    service = undefined;
    await opened.close();
  });

  async function creating(driver: FakeDriver, model: string): Promise<ApiError> {
    service = await createDeviceService({
      ...{ clock: systemClock, log: silentLog, metrics: new Registry(), database: opened.database },
      ...{ drivers: [driver], hostId: 'host-1', meshToken: undefined },
    });
    const key = (await service.createFirstAccount('owner@localhost'))?.apiKey ?? '';
    const devices = createClient(DeviceService, joinInMemory(service.rpc, undefined));
    const network = { type: ExitType.DIRECT, country: 'us' };
    const headers = { authorization: `Bearer ${key}` };
    return refusalOf(devices.createDevice({ model, network, plan: Plan.MINUTE }, { headers }));
  }

  const host = async (): Promise<HostDocument | null> =>
    opened.database.collection<HostDocument>('hosts').findOne({ _id: 'host-1' });

  it('that no host can make at present is unavailable, with the time after which to try again', async () => {
    const refused = await creating(new WithheldDriver(), 'phone-720p');
    expect(refused).to.deep.include({ kind: 'unavailable', retryAfterS: 60 });
    expect(refused.message).to.contain('at present').and.to.contain('GET /v1/models');
  });

  it('whose driver cannot be measured is unavailable, and the host has the reason', async () => {
    const refused = await creating(new UnmeasuredDriver(), 'phone-720p');
    expect(refused).to.deep.include({ kind: 'unavailable', retryAfterS: 60 });
    expect((await host())?.drivers[0]).to.deep.include({
      models: [],
      withheld: ['phone-720p'],
      problems: ['no phones of the kind "simulated" are offered: its engine is away'],
    });
  });

  it('that nobody knows is a bad request, which names the models there are', async () => {
    const refused = await creating(new FakeDriver(), 'phone-9000p');
    expect(refused).to.deep.include({ kind: 'bad_request' });
    expect(refused.message).to.contain('model: "phone-9000p" is not one of phone-720p (GET /v1/models)');
  });

  it('that nobody knows is a bad request that says so, where no model is offered', async () => {
    const refused = await creating(new WithheldDriver(), 'phone-9000p');
    expect(refused).to.deep.include({ kind: 'bad_request' });
    expect(refused.message).to.contain('model: "phone-9000p" is not known here, and no model is offered at present');
  });
});
