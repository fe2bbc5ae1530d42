import { expect } from 'chai';
import type { AppPackage } from '../../../phone/apk/app-package.js';
import type { PhoneLink, RunOptions } from '../../../phone/link/phone-link.js';
import { sendPackage } from './send-package.js';

describe('sending an app to a phone', () => {
  it('gives up the session on the phone when the time for the install is up', async () => {
    const timeIsUp = new AbortController();
    const commands: string[] = [];
    const link = {
      usable: true,
      exec: async (command: string, { signal }: RunOptions) => {
        signal?.throwIfAborted();
        commands.push(command);
        return Buffer.from('Success: created install session [7]\n');
      },
      feed: async () => {
        timeIsUp.abort(new Error('the time is up'));
        throw timeIsUp.signal.reason as Error;
      },
    } as unknown as PhoneLink;
    const app = {
      base: { package: 'com.example' },
      parts: [{ name: 'base.apk', path: '/nowhere', sizeBytes: 5 }],
    } as unknown as AppPackage;

    const sent = sendPackage(link, app, { signal: timeIsUp.signal, onSent: () => undefined });

    await sent.then(
      () => expect.fail('it has to fail'),
      (error: unknown) => expect(error).to.equal(timeIsUp.signal.reason),
    );
    expect(commands).to.deep.equal(['pm install-create -r -S 5', 'pm install-abandon 7']);
  });
});
