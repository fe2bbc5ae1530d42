import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { expect } from 'chai';
import {
  ActRequestSchema,
  PerformActionRequestSchema,
  SendInputRequestSchema,
} from '../../proto/gen/cloudphone/screen/v1/screen_service_pb.js';
import { NOTHING_BEFORE } from '../secrets/secret.js';
import { keptRequest } from './kept-request.js';

describe('a request in a timeline', () => {
  const act = (
    init: MessageInitShape<typeof ActRequestSchema>,
    secrets: string[] = [],
    shown: string[] = [],
  ): unknown =>
    keptRequest(ActRequestSchema, create(ActRequestSchema, { name: 'demo', ...init }), {
      secrets: secrets.map((text) => ({ text, apps: new Set(['']), before: NOTHING_BEFORE })),
      shown: new Set(shown),
    });

  it('is the body of the call, without the name of the device and empty lists', () => {
    const step = { case: 'tap', value: { text: 'Save', role: 'button' } } as const;
    expect(act({ step, settleMs: 100 })).to.deep.equal({ tap: { text: 'Save', role: 'button' }, settle_ms: 100 });
    expect(act({ steps: [{ kind: { case: 'key', value: { name: 'home' } } }] })).to.deep.equal({
      steps: [{ key: { name: 'home' } }],
    });
  });

  it('has typed text only where it is known to show, and never secret text', () => {
    const typing = (text: string, secret?: boolean) =>
      ({
        kind: { case: 'type', value: { text, ...(secret !== undefined && { secret }), target: { text: 'Name' } } },
      }) as const;
    const steps = [typing('Ann'), typing('unseen 😀'), typing('Ann', true)];
    expect(act({ steps }, [], ['Ann'])).to.deep.equal({
      steps: [
        { type: { text: 'Ann', target: { text: 'Name' } } },
        { type: { characters: 8, target: { text: 'Name' } } },
        { type: { characters: 3, secret: true, target: { text: 'Name' } } },
      ],
    });
  });

  it('hides what other texts show of secrets', () => {
    const kept = act(
      {
        steps: [{ kind: { case: 'wait', value: {} }, expect: { condition: { case: 'text', value: 'is hunter2-x' } } }],
      },
      ['hunter2-x'],
    );
    expect(JSON.stringify(kept)).to.contain('"text":"is •').and.not.to.contain('hunt');
  });

  it('has neither text for the clipboard nor credentials of addresses', () => {
    expect(act({ step: { case: 'clipboard', value: { set: 'token' } } })).to.deep.equal({
      clipboard: { characters: 5 },
    });
    const url = 'https://ann:pw@example.com/a/b?token=1#x';
    expect(act({ step: { case: 'openUrl', value: { url } } })).to.deep.equal({
      open_url: { url: 'https://example.com/a/b?…' },
    });
  });

  it('has no text of actions and raw input', () => {
    const nothing = { secrets: [], shown: new Set<string>() };
    const action = create(PerformActionRequestSchema, { action: { case: 'type', value: { text: 'pin' } } });
    expect(keptRequest(PerformActionRequestSchema, action, nothing)).to.deep.equal({ type: { characters: 3 } });
    const events = [
      { kind: { case: 'text', value: { text: 'pin' } } },
      { kind: { case: 'key', value: { name: 'enter' } } },
    ] as const;
    const input = create(SendInputRequestSchema, { events: [...events] });
    expect(keptRequest(SendInputRequestSchema, input, nothing)).to.deep.equal({
      events: [{ text: { characters: 3 } }, { key: { name: 'enter' } }],
    });
    const tap = create(PerformActionRequestSchema, { action: { case: 'tap', value: { text: 'OK' } } });
    expect(keptRequest(PerformActionRequestSchema, tap, nothing)).to.deep.equal({ tap: { text: 'OK' } });
  });
});
