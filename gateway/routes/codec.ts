import type { DescMessage } from '@bufbuild/protobuf';
import type { JsonEncoder } from '../../kit/json/encode.js';
import type { JsonDecoders } from '../json/decode.js';

/** What routes share: one set of compiled message types. */
export interface Codec {
  decoders: JsonDecoders;
  encoderFor: (schema: DescMessage) => JsonEncoder;
}
