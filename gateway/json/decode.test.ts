import { create, type DescMessage } from '@bufbuild/protobuf';
import { expect } from 'chai';
import { ApiError } from '../../kit/errors/api-error.js';
import { CreateDeviceRequestSchema } from '../../proto/gen/cloudphone/device/v1/device_service_pb.js';
import { ExitType, Plan } from '../../proto/gen/cloudphone/device/v1/device_pb.js';
import { ObservedScreenshotSchema } from '../../proto/gen/cloudphone/screen/v1/observation_pb.js';
import { LogLineSchema } from '../../proto/gen/cloudphone/screen/v1/logcat_pb.js';
import {
  ActRequestSchema,
  PerformActionRequestSchema,
} from '../../proto/gen/cloudphone/screen/v1/screen_service_pb.js';
import { createJsonDecoders } from './decode.js';
import { parseJson } from './parse.js';

const decoders = createJsonDecoders();

function decode<D extends DescMessage>(schema: D, text: string, except?: ReadonlySet<string>) {
  const message = create(schema);
  const object = parseJson(text);
  if (!(object instanceof Map)) throw new Error('not an object');
  decoders.decoderFor(schema, except)(object, message, '');
  return message;
}

describe('messages from JSON', () => {
  it('are filled by snake_case names, words and nested objects', () => {
    const text = '{"model":"p","network":{"type":"mobile","country":"de"},"plan":"month","start":false,"name":""}';
    expect(decode(CreateDeviceRequestSchema, text)).to.deep.include({
      model: 'p',
      plan: Plan.MONTH,
      start: false,
      name: '',
    });
    expect(decode(CreateDeviceRequestSchema, text).network).to.include({ type: ExitType.MOBILE, country: 'de' });
    expect(decode(CreateDeviceRequestSchema, '{}')).not.to.have.property('start', false);
  });

  it('take oneofs, lists of messages, times, bytes and numbers written any way that is whole', () => {
    const act = decode(ActRequestSchema, '{"steps":[{"tap":{"x":1e2,"y":2.0}},{"wait":{}}],"settle_ms":-0}');
    expect(act.steps.map(({ kind }) => kind.case)).to.deep.equal(['tap', 'wait']);
    expect(act.steps[0]?.kind.value).to.include({ x: 100, y: 2 });
    const line = decode(LogLineSchema, '{"time":"2026-11-20T17:00:00Z","level":"warn"}');
    expect(line.time?.seconds).to.equal(1_795_194_000n);
    const picture = decode(ObservedScreenshotSchema, '{"data":"//79","scale":0.25}');
    expect([...picture.data]).to.deep.equal([0xff, 0xfe, 0xfd]);
    expect(picture.scale).to.equal(0.25);
  });

  const refused: [schema: DescMessage, text: string, message: string][] = [
    [
      CreateDeviceRequestSchema,
      '{"modell":"x"}',
      'Unknown field "modell" in the body; allowed here: model, network, plan, name, android, start, idempotency_key, idle_stop_s, labels, template, apps.',
    ],
    [
      CreateDeviceRequestSchema,
      '{"network":{"Type":"mobile"}}',
      'Unknown field "network.Type" in the body; allowed here: type, country, timezone.',
    ],
    [LogLineSchema, '{"__proto__":{}}', 'Unknown field "__proto__"'],
    [ActRequestSchema, '{"settleMs":1}', 'Unknown field "settleMs"'],
    [ActRequestSchema, '{"step":{"case":"tap"}}', 'Unknown field "step"'],
    [ActRequestSchema, '{"$typeName":"x"}', 'Unknown field "$typeName"'],
    [ActRequestSchema, '{"wait":{"ms":1}}', 'Unknown field "wait.ms" in the body; allowed here: none.'],
    [CreateDeviceRequestSchema, '{"model":1}', 'model must be a string, not a number.'],
    [CreateDeviceRequestSchema, '{"model":null}', 'model: null is not allowed; leave the field out.'],
    [CreateDeviceRequestSchema, '{"model":["a"]}', 'model must be a string, not an array.'],
    [CreateDeviceRequestSchema, '{"start":"true"}', 'start must be true or false, not a string.'],
    [CreateDeviceRequestSchema, '{"start":0}', 'start must be true or false, not a number.'],
    [CreateDeviceRequestSchema, '{"network":"mobile"}', 'network must be an object, not a string.'],
    [CreateDeviceRequestSchema, '{"network":[]}', 'network must be an object, not an array.'],
    [CreateDeviceRequestSchema, '{"plan":"MINUTE"}', 'plan: "MINUTE" is not one of minute, month.'],
    [CreateDeviceRequestSchema, '{"plan":1}', 'plan must be one of minute, month, not a number.'],
    [CreateDeviceRequestSchema, '{"plan":"unspecified"}', 'plan: "unspecified" is not one of minute, month.'],
    [
      CreateDeviceRequestSchema,
      '{"network":{"type":"custom"}}',
      'network.type: "custom" is not one of mobile, residential, datacenter, direct.',
    ],
    [
      ActRequestSchema,
      '{"steps":[{"wait":{}},{"tap":{"x":1.5}}]}',
      'steps[1].tap.x: 1.5 is not a whole number from -2147483648 to 2147483647.',
    ],
    [ActRequestSchema, '{"settle_ms":2147483648}', 'settle_ms: 2147483648 is not a whole number from'],
    [ActRequestSchema, '{"settle_ms":1e999}', 'settle_ms: Infinity is not a whole number from'],
    [ActRequestSchema, '{"settle_ms":"5"}', 'settle_ms must be a whole number, not a string.'],
    [ActRequestSchema, '{"steps":{}}', 'steps must be an array, not an object.'],
    [ActRequestSchema, '{"steps":[null]}', 'steps[0]: null is not allowed; leave the item out.'],
    [ActRequestSchema, '{"steps":[7]}', 'steps[0] must be an object, not a number.'],
    [
      ActRequestSchema,
      '{"tap":{"x":1,"y":2},"wait":{}}',
      'tap and wait cannot both be given: only one of tap, long_press, type, swipe, key, open_app, wait, double_tap, ',
    ],
    [
      ActRequestSchema,
      '{"steps":[{"key":{"name":"home"},"tap":{}}]}',
      'steps[0].key and steps[0].tap cannot both be given: only one of',
    ],
    [LogLineSchema, '{"time":"yesterday"}', 'time: "yesterday" is not an RFC 3339 time such as 2026-11-20T17:00:00Z.'],
    [LogLineSchema, '{"time":17}', 'time must be a time as a string, not a number.'],
    [ObservedScreenshotSchema, '{"data":"a"}', 'data: "a" is not base64.'],
    [ObservedScreenshotSchema, '{"data":"__79"}', 'data: "__79" is not base64.'],
    [ObservedScreenshotSchema, '{"scale":1e999}', 'scale: the number is too large.'],
  ];
  for (const [schema, text, message] of refused) {
    it(`refuse ${text}: ${message}`, () => {
      expect(() => decode(schema, text))
        .to.throw(ApiError, message)
        .with.property('kind', 'bad_request');
    });
  }

  it('do not know fields that come from elsewhere', () => {
    const text = '{"name":"x","tap":{"text":"a"}}';
    expect(decode(PerformActionRequestSchema, text).name).to.equal('x');
    expect(() => decode(PerformActionRequestSchema, text, new Set(['name']))).to.throw('Unknown field "name"');
  });
});
