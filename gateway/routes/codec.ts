import type { DescMessage } from '@bufbuild/protobuf';
import type { JsonEncoder } from '../../kit/json/encode.js';
import type { JsonDecoders } from '../json/decode.js';

/** The set of compiled message types that all routes share. */
export interface Codec {
  decoders: JsonDecoders;
  encoderFor: (schema: DescMessage) => JsonEncoder;
}
