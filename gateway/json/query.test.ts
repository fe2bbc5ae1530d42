import { create, type DescMessage, type MessageShape } from '@bufbuild/protobuf';
import { expect } from 'chai';
import { ApiError } from '../../kit/errors/api-error.js';
import { DeviceSchema, DeviceState } from '../../proto/gen/cloudphone/device/v1/device_pb.js';
import {
  CreateDeviceRequestSchema,
  ListDevicesRequestSchema,
} from '../../proto/gen/cloudphone/device/v1/device_service_pb.js';
import { ElementSchema, ObservedScreenshotSchema } from '../../proto/gen/cloudphone/screen/v1/observation_pb.js';
import { TypeTextSchema } from '../../proto/gen/cloudphone/screen/v1/step_pb.js';
import { GetLogsRequestSchema } from '../../proto/gen/cloudphone/screen/v1/screen_service_pb.js';
import { createJsonDecoders } from './decode.js';
import { createQueryDecoder } from './query.js';

function decode<D extends DescMessage>(schema: D, query: string): MessageShape<D> {
  const message = create(schema);
  const fields = schema.fields.filter(({ message: type }) => type === undefined || type.name === 'Timestamp');
  createQueryDecoder(fields, createJsonDecoders())(query, message);
  return message;
}

describe('query strings', () => {
  it('fill words, whole numbers, texts and times; escapes and + are decoded', () => {
    expect(decode(ListDevicesRequestSchema, 'state=running&limit=7&cursor=a+b%2B%C3%A9&')).to.include({
      state: DeviceState.RUNNING,
      limit: 7,
      cursor: 'a b+é',
    });
    expect(decode(GetLogsRequestSchema, 'since=2026-11-20T17:00:00%2B01:00').since?.seconds).to.equal(1_795_190_400n);
  });

  it('fill true, false, fractions, and lists by giving the name again', () => {
    expect(decode(TypeTextSchema, 'clear=true&submit=false')).to.include({ clear: true, submit: false });
    expect(decode(ElementSchema, 'states=a&states=b').states).to.deep.equal(['a', 'b']);
    expect(decode(ObservedScreenshotSchema, 'scale=0.25').scale).to.equal(0.25);
  });

  it('keep an empty text as an empty text', () => {
    expect(decode(ListDevicesRequestSchema, 'cursor=')).to.have.property('cursor', '');
  });

  const refused: [schema: DescMessage, query: string, message: string][] = [
    [ListDevicesRequestSchema, 'statte=x', 'Unknown query parameter "statte"; allowed: state, limit, cursor, label.'],
    [ListDevicesRequestSchema, 'limit=1&limit=1', 'limit is given 2 times; once is allowed.'],
    [ListDevicesRequestSchema, 'state=', 'state: "" is not one of creating, stopped'],
    [ListDevicesRequestSchema, 'state', 'state: "" is not one of creating, stopped'],
    [ListDevicesRequestSchema, 'limit=', 'limit: "" is not a whole number.'],
    [ListDevicesRequestSchema, 'limit=1.0', 'limit: "1.0" is not a whole number.'],
    [ListDevicesRequestSchema, 'limit=1e2', 'limit: "1e2" is not a whole number.'],
    [ListDevicesRequestSchema, 'limit=0x10', 'limit: "0x10" is not a whole number.'],
    [ListDevicesRequestSchema, 'limit=+5', 'limit: " 5" is not a whole number.'],
    [ListDevicesRequestSchema, 'limit=007', 'limit: "007" is not a whole number.'],
    [ListDevicesRequestSchema, 'limit=99999999999', 'limit: 99999999999 is not a whole number from -2147483648'],
    [ListDevicesRequestSchema, 'limit[]=1', 'Unknown query parameter "limit[]"'],
    [ListDevicesRequestSchema, 'cursor=%', '"%" in the query has a % that does not begin valid UTF-8'],
    [ListDevicesRequestSchema, 'cursor=%ff', '"%ff" in the query has a %'],
    [ListDevicesRequestSchema, '%ff=1', '"%ff" in the query has a %'],
    [TypeTextSchema, 'clear=1', 'clear: "1" is neither true nor false.'],
    [TypeTextSchema, 'clear=True', 'clear: "True" is neither true nor false.'],
    [ObservedScreenshotSchema, 'scale=1e3', 'scale: "1e3" is not a number.'],
    [GetLogsRequestSchema, 'since=now', 'since: "now" is not an RFC 3339 time'],
  ];
  for (const [schema, query, message] of refused) {
    it(`refuse ?${query}: ${message}`, () => {
      expect(() => decode(schema, query))
        .to.throw(ApiError, message)
        .with.property('kind', 'bad_request');
    });
  }

  it('are refused with that text when a route takes none', () => {
    expect(() => createQueryDecoder([], createJsonDecoders())('a=1', create(DeviceSchema))).to.throw(
      'Unknown query parameter "a"; this route takes none.',
    );
  });

  it('refuse, at the start, a message as a parameter', () => {
    expect(() => createQueryDecoder(CreateDeviceRequestSchema.fields, createJsonDecoders())).to.throw(
      'a message cannot be in a path or a query',
    );
  });
});
