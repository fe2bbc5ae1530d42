import type { MessageInitShape } from '@bufbuild/protobuf';
import { enumOf } from '../../kit/text/wire-words.js';
import { type ExitSchema, ExitTypeSchema } from '../../proto/gen/cloudphone/device/v1/device_pb.js';
import type { ShownExit } from '../store/device-exit.js';

/** Returns an exit as callers see it. */
export function exitMessage({ type, country, timezone, address }: ShownExit): MessageInitShape<typeof ExitSchema> {
  return { type: enumOf(ExitTypeSchema, type), country, timezone, address };
}
