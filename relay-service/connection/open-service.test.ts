import { expect } from 'chai';
import { Command } from '../../phone/adb/packet.js';
import { TransferBudget } from '../transfer/transfer-budget.js';
import { OpenService, type ServiceSession } from './open-service.js';
import type { StreamSwitch } from './stream-switch.js';

describe('the opening of a stream', () => {
  it('reports the work of judging each word and sign of a script, wherever the script is', () => {
    const works: number[] = [];
    const streams: Pick<StreamSwitch, 'forward'> = { forward: () => undefined };
    const session: Pick<ServiceSession, 'isLoggedIn' | 'onPassed'> = {
      isLoggedIn: () => true,
      onPassed: () => undefined,
    };
    const services = new OpenService({
      streams: streams as StreamSwitch,
      session: session as ServiceSession,
      budget: new TransferBudget(1),
      phonePort: 41_234,
      onJudged: (work) => works.push(work),
      delay: () => undefined,
    });
    const script = 'a;'.repeat(1_000);
    for (const name of [`shell:${script}`, `shell:sh -c '${script}'`, 'shell:a', 'localabstract:scrcpy']) {
      services.open({ command: Command.OPEN, arg0: 1, arg1: 0, payload: Buffer.from(`${name}\0`) });
    }
    const [plain = 0, nested = 0, one, none] = works;
    expect(plain).to.equal(1_000);
    expect(nested).to.be.within(1_000, 1_010);
    expect([one, none]).to.deep.equal([0.5, 0]);
  });
});
