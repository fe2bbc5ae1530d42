import { create } from '@bufbuild/protobuf';
import { expect } from 'chai';
import { RawBodySchema } from '../../proto/gen/cloudphone/api/v1/route_pb.js';
import { DeviceSchema, DeviceState, ExitType, Plan } from '../../proto/gen/cloudphone/device/v1/device_pb.js';
import {
  ImageFormat,
  ObservationSchema,
  ObservedScreenshotSchema,
  Warning,
} from '../../proto/gen/cloudphone/screen/v1/observation_pb.js';
import {
  ActRequestSchema,
  GetLogsResponseSchema,
  PerformActionRequestSchema,
} from '../../proto/gen/cloudphone/screen/v1/screen_service_pb.js';
import { ExpectSchema, StepSchema } from '../../proto/gen/cloudphone/screen/v1/step_pb.js';
import { TimestampSchema } from '@bufbuild/protobuf/wkt';
import { LocatePhoneResponseSchema } from '../../proto/gen/cloudphone/device/v1/phone_service_pb.js';
import { AdbRelaySchema } from '../../proto/gen/cloudphone/relay/v1/relay_pb.js';
import { DurationSchema } from '@bufbuild/protobuf/wkt';
import { TimelineEntrySchema } from '../../proto/gen/cloudphone/device/v1/timeline_pb.js';
import { createJsonEncoders } from './encode.js';

describe('JSON of messages', () => {
  const encoderFor = createJsonEncoders();

  it('writes zero values, leaves absent optionals, messages and unspecified enums out', () => {
    expect(JSON.parse(encoderFor(DeviceSchema)(create(DeviceSchema, { name: 'a' })))).to.deep.equal({
      name: 'a',
      model: '',
      android: '',
      uptime: 0,
      minutes_today: 0,
      driver: '',
      labels: {},
      timeline: false,
    });
  });

  it('writes plain JSON as it is', () => {
    const request = { steps: [{ tap: { text: 'a "b"', x: 1.5 } }], none: null };
    const written = JSON.parse(encoderFor(TimelineEntrySchema)(create(TimelineEntrySchema, { id: 'tl_1', request })));
    expect(written.request).to.deep.equal(request);
  });

  it('writes snake_case names, lower-case words and times in UTC with milliseconds', () => {
    const device = create(DeviceSchema, {
      name: 'a"\n é',
      state: DeviceState.RUNNING,
      plan: Plan.MONTH,
      exit: { type: ExitType.MOBILE, country: 'de', timezone: 'Europe/Berlin', address: '' },
      minutesToday: 7,
      createdAt: create(TimestampSchema, { seconds: 1_795_194_000n, nanos: 999_999 }),
      job: '',
    });
    expect(JSON.parse(encoderFor(DeviceSchema)(device))).to.deep.equal({
      name: 'a"\n é',
      model: '',
      android: '',
      state: 'running',
      exit: { type: 'mobile', country: 'de', timezone: 'Europe/Berlin', address: '' },
      uptime: 0,
      minutes_today: 7,
      plan: 'month',
      driver: '',
      labels: {},
      timeline: false,
      created_at: '2026-11-20T17:00:00.000Z',
      job: '',
    });
  });

  it('writes bytes in base64, fractions, and lists also when they are empty', () => {
    const whole = new Uint8Array([9, 0xff, 0xfe, 0xfd, 9]);
    const picture = create(ObservedScreenshotSchema, {
      format: ImageFormat.JPEG,
      scale: 0.5,
      data: whole.subarray(1, 4),
    });
    expect(JSON.parse(encoderFor(ObservedScreenshotSchema)(picture))).to.deep.equal({
      format: 'jpeg',
      width: 0,
      height: 0,
      scale: 0.5,
      data: '//79',
    });
    expect(encoderFor(GetLogsResponseSchema)(create(GetLogsResponseSchema))).to.equal('{"lines":[]}');
  });

  it('leaves empty texts and lists out of messages that say so, and nothing else', () => {
    const observation = create(ObservationSchema, {
      id: 'obs_1',
      screen: {},
      elements: [{ id: 'e1', bounds: {}, states: ['clickable'] }, { text: 'Save' }],
      warnings: [Warning.NOT_IDLE, Warning.TRUNCATED],
      elementsText: '',
    });
    expect(JSON.parse(encoderFor(ObservationSchema)(observation))).to.deep.equal({
      id: 'obs_1',
      screen: { width: 0, height: 0, rotation: 0 },
      elements: [{ id: 'e1', bounds: { x: 0, y: 0, width: 0, height: 0 }, states: ['clickable'] }, { text: 'Save' }],
      warnings: ['not_idle', 'truncated'],
      elements_text: '',
    });
  });

  it('writes the chosen member of a oneof, and an empty message', () => {
    const step = create(StepSchema, {
      kind: { case: 'wait', value: {} },
      expect: { condition: { case: 'gone', value: '' } },
    });
    expect(encoderFor(StepSchema)(step)).to.equal('{"wait":{},"expect":{"gone":""}}');
    expect(encoderFor(ExpectSchema)(create(ExpectSchema))).to.equal('{}');
  });

  it('leaves out a value of an enum that a newer service knows', () => {
    const device = Object.assign(create(DeviceSchema), { state: 99 });
    expect(JSON.parse(encoderFor(DeviceSchema)(device))).not.to.have.property('state');
  });

  it('knows types that hold themselves only through others, and the same type twice', () => {
    expect(encoderFor(RawBodySchema)).to.equal(encoderFor(RawBodySchema));
    expect(JSON.parse(encoderFor(LocatePhoneResponseSchema)(create(LocatePhoneResponseSchema)))).to.include({
      port: 0,
    });
  });

  it('leaves out the name of the device that a request has in its path, where the request is a part of something', () => {
    const act = create(ActRequestSchema, { step: { case: 'wait', value: {} } });
    const action = create(PerformActionRequestSchema, { action: { case: 'tap', value: { text: 'a' } } });
    expect(JSON.parse(encoderFor(ActRequestSchema)(act))).to.deep.equal({ wait: {}, steps: [] });
    expect(JSON.parse(encoderFor(PerformActionRequestSchema)(action))).to.deep.equal({ tap: { text: 'a' } });
  });

  it('refuses, when it is made, a type with 64-bit integers', () => {
    expect(() => encoderFor(DurationSchema)).to.throw('google.protobuf.Duration.seconds: 64-bit integers');
    expect(encoderFor(AdbRelaySchema)(create(AdbRelaySchema, { refused: { root: 2 } }))).to.contain(
      '"refused":{"root":2}',
    );
  });
});
