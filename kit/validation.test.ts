import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { expect } from 'chai';
import {
  ActRequestSchema,
  PerformActionRequestSchema,
  SendInputRequestSchema,
} from '../proto/gen/cloudphone/screen/v1/screen_service_pb.js';
import { assertValid } from './validation.js';

describe('assertValid', () => {
  function act(init: MessageInitShape<typeof ActRequestSchema>): () => void {
    return () => assertValid(ActRequestSchema, create(ActRequestSchema, init));
  }

  it('names what can be chosen where nothing of a choice is given', () => {
    expect(() => assertValid(PerformActionRequestSchema, create(PerformActionRequestSchema, {}))).to.throw(
      'one of open_app, tap, type, find_text is missing',
    );
    expect(() => assertValid(SendInputRequestSchema, create(SendInputRequestSchema, { events: [{}] }))).to.throw(
      'events[0] must have one of touch, key, wait',
    );
    expect(act({ step: { case: 'wait', value: {} }, expect: {} })).to.throw('expect must have one of text, gone, app');
    expect(act({ steps: [{}] })).to.throw('steps[0] must have one of tap, long_press, type, swipe, key');
  });

  it('names the field, its value and what is allowed', () => {
    expect(act({ step: { case: 'wait', value: {} }, timeoutMs: 50 })).to.throw(
      'timeout_ms: 50 is not allowed, must be greater than or equal to 100 and less than or equal to 60000',
    );
  });

  it('does not show what was typed', () => {
    const text = `secret${'x'.repeat(10_000)}`;
    expect(act({ step: { case: 'type', value: { text } } }))
      .to.throw('type.text')
      .that.has.property('message')
      .that.does.not.include('secret');
  });
});
