import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { expect } from 'chai';
import { ExitChoiceSchema, ExitType } from '../../proto/gen/cloudphone/device/v1/device_pb.js';
import { Day } from '../../proto/gen/cloudphone/device/v1/schedule_pb.js';
import { CreateScheduleRequestSchema } from '../../proto/gen/cloudphone/device/v1/schedule_service_pb.js';
import { CreateDeviceRequestSchema, DeviceService } from '../../proto/gen/cloudphone/device/v1/device_service_pb.js';
import {
  ActRequestSchema,
  PerformActionRequestSchema,
  SendInputRequestSchema,
} from '../../proto/gen/cloudphone/screen/v1/screen_service_pb.js';
import { routeOf } from '../rpc/mesh.js';
import { assertValid } from './validation.js';

describe('assertValid', () => {
  function act(init: MessageInitShape<typeof ActRequestSchema>): () => void {
    return () => assertValid(ActRequestSchema, create(ActRequestSchema, init));
  }

  it('names the choices where none is given', () => {
    expect(() => assertValid(PerformActionRequestSchema, create(PerformActionRequestSchema, {}))).to.throw(
      'one of open_app, tap, type, find_text is missing',
    );
    expect(() => assertValid(SendInputRequestSchema, create(SendInputRequestSchema, { events: [{}] }))).to.throw(
      'events[0] must have one of touch, key, wait',
    );
    expect(act({ step: { case: 'wait', value: {} }, expect: {} })).to.throw('expect must have one of text, gone, app');
    expect(act({})).to.throw('the request must have either one step (tap, long_press, ');
    expect(act({ steps: [{}] })).to.throw('steps[0] must have one of tap, long_press, type, swipe, key');
  });

  it('names the field, its value and the allowed ones', () => {
    expect(act({ step: { case: 'wait', value: {} }, timeoutMs: 50 })).to.throw(
      'timeout_ms: 50 is not allowed, must be greater than or equal to 100 and less than or equal to 60000',
    );
  });

  it('names a list with an entry that is there twice, also one of words', () => {
    const schedule = (init: MessageInitShape<typeof CreateScheduleRequestSchema>) => () =>
      assertValid(CreateScheduleRequestSchema, create(CreateScheduleRequestSchema, init));
    const given = { devices: ['a'], days: [Day.MON], time: '08:30', timezone: 'UTC' };
    const steps = [{ kind: { case: 'start', value: {} } }] as const;
    expect(schedule({ ...given, steps: [...steps], days: [Day.MON, Day.MON] })).to.throw(
      /^days must not have an entry twice$/,
    );
    expect(schedule({ ...given, steps: [...steps], devices: ['a', 'a'] })).to.throw(
      /^devices must not have an entry twice$/,
    );
  });

  it('shows an example where a pattern is broken, and keeps the quotes of a value that is cut', () => {
    const country = (text: string) => () =>
      assertValid(ExitChoiceSchema, create(ExitChoiceSchema, { type: ExitType.DIRECT, country: text }));
    expect(country('DE')).to.throw('country: "DE" is not allowed, must be like "de"');
    expect(country('x'.repeat(100))).to.throw(`country: "${'x'.repeat(59)}…" is not allowed, must be like "de"`);
  });

  it('names the header that a field is copied from', () => {
    const { createDevice } = DeviceService.method;
    const request = create(CreateDeviceRequestSchema, { idempotencyKey: 'é' });
    expect(() => assertValid(createDevice.input, request, routeOf(createDevice)?.headers)).to.throw(
      'Idempotency-Key: "é" is not allowed, ',
    );
  });

  it('does not show typed text', () => {
    const text = `secret${'x'.repeat(10_000)}`;
    expect(act({ step: { case: 'type', value: { text } } }))
      .to.throw('type.text')
      .that.has.property('message')
      .that.does.not.include('secret');
  });
});
