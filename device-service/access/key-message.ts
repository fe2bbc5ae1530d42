import { create } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { enumOf } from '../../kit/wire-words.js';
import { type ApiKey, ApiKeySchema, KeyScopeSchema } from '../../proto/gen/cloudphone/access/v1/key_pb.js';
import { labelsByKey } from '../labels/labels.js';
import type { KeyDocument } from '../store/keys.js';

/** A key as its owner sees it. `text` is in the response that creates it, and only there. */
export function keyMessage(key: KeyDocument, text?: string): ApiKey {
  return create(ApiKeySchema, {
    id: key._id,
    name: key.name,
    scope: enumOf(KeyScopeSchema, key.scope),
    devices: key.devices,
    webhookUrl: key.webhookUrl,
    createdAt: timestampFromDate(key.createdAt),
    lastUsedAt: key.lastUsedAt && timestampFromDate(key.lastUsedAt),
    prefix: key.prefix,
    key: text,
    labels: labelsByKey(key.labels),
  });
}
